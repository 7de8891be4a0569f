//! The checks: commitments, constraints at the challenge point, low degree.

use crate::extension::{evaluate, weighted, Extension, ONE, ZERO};
use crate::field;
use crate::fri::{layers, Layer};
use crate::program::{Opened, Program};
use crate::proof::{ascending, to_extensions, Answers, Claims};
use crate::reader::Reader;
use crate::sha256::Digest;
use crate::transcript::Transcript;
use std::collections::BTreeMap;

pub struct Statement<'a> {
    pub program: &'a Program,
    pub program_digest: Digest,
    pub journal_digest: Digest,
    pub publics: Vec<u64>,
}

struct Challenges {
    constraints: Vec<Extension>,
    point: Extension,
    deep_current: Vec<Extension>,
    deep_next: Vec<Extension>,
    deep_segments: Vec<Extension>,
    folds: Vec<Extension>,
    positions: Vec<usize>,
}

pub fn verify(source: &[u8], statement: &Statement) -> Result<(), String> {
    let program = statement.program;
    if statement.publics.len() != program.publics {
        return Err("the number of public values does not match the program".into());
    }
    let mut reader = Reader::new(source);
    let claims = Claims::read(&mut reader, program)?;
    let challenges = draw(&claims, statement)?;
    check_point(program, challenges.point)?;
    let answers = Answers::read(&mut reader, program, &challenges.positions)?;
    answers.trace.check(&claims.trace_root)?;
    answers.quotient.check(&claims.quotient_root)?;
    for (openings, root) in answers.layers.iter().zip(&claims.layer_roots) {
        openings.check(root)?;
    }
    check_constraints(statement, &claims, &challenges)?;
    check_low_degree(program, &claims, &answers, &challenges)
}

fn draw(claims: &Claims, statement: &Statement) -> Result<Challenges, String> {
    let program = statement.program;
    let mut transcript = Transcript::new();
    transcript.absorb(&statement.program_digest);
    transcript.absorb_elements(program.parameters());
    transcript.absorb(&statement.journal_digest);
    transcript.absorb_elements(statement.publics.iter().copied());
    transcript.absorb(&claims.trace_root);
    let constraints = transcript.extensions(program.constraint_count());
    transcript.absorb(&claims.quotient_root);
    let point = transcript.extension();
    let opened = [&claims.current[..], &claims.next, &claims.segments].concat();
    transcript.absorb_elements(opened.iter().flat_map(|value| value.0));
    let deep_current = transcript.extensions(program.columns);
    let deep_next = transcript.extensions(program.columns);
    let deep_segments = transcript.extensions(program.segments);
    let mut folds = Vec::new();
    for root in &claims.layer_roots {
        transcript.absorb(root);
        folds.push(transcript.extension());
    }
    transcript.absorb_elements(claims.last.iter().flat_map(|value| value.0));
    if !transcript.is_ground(&claims.nonce, program.grinding_bits) {
        return Err("the proof-of-work nonce is invalid".into());
    }
    transcript.absorb(&claims.nonce);
    let positions = ascending(transcript.positions(program.queries, program.domain_size()));
    Ok(Challenges { constraints, point, deep_current, deep_next, deep_segments, folds, positions })
}

/// Rejects rows of the trace and points of the evaluation domain, at which the quotients divide by
/// zero.
fn check_point(program: &Program, point: Extension) -> Result<(), String> {
    if point.pow(program.rows as u64) == ONE {
        return Err("the challenge point is a row of the trace".into());
    }
    let domain = Layer::first(program);
    let all = domain.size as u64;
    if point.pow(all) == Extension::base(field::pow(domain.point(0), all)) {
        return Err("the challenge point is in the evaluation domain".into());
    }
    Ok(())
}

fn check_constraints(
    statement: &Statement,
    claims: &Claims,
    challenges: &Challenges,
) -> Result<(), String> {
    let program = statement.program;
    let point = challenges.point;
    let vanishing = point.pow(program.rows as u64).sub(ONE);
    let values = program.evaluate(&Opened {
        current: &claims.current,
        next: &claims.next,
        fixed: &fixed_at(program, point, vanishing),
        publics: &statement.publics,
    });
    let combined = weighted(&values, &challenges.constraints);
    let quotient = evaluate(&claims.segments, point.pow(program.segment_length() as u64));
    if combined == quotient.mul(vanishing) {
        Ok(())
    } else {
        Err("the constraints are not satisfied".into())
    }
}

/// Evaluates the fixed columns at the challenge point, by Lagrange interpolation over the rows.
fn fixed_at(program: &Program, point: Extension, vanishing: Extension) -> Vec<Extension> {
    let generator = field::root_of_unity(program.rows);
    let scale = vanishing.scale(field::inverse(program.rows as u64));
    let lagrange: Vec<Extension> = (0..program.used_rows)
        .map(|row| {
            let x = field::pow(generator, row as u64);
            point.sub(Extension::base(x)).inverse().scale(x).mul(scale)
        })
        .collect();
    program
        .fixed
        .iter()
        .map(|cells| {
            cells.iter().fold(ZERO, |sum, (row, value)| sum.add(lagrange[*row].scale(*value)))
        })
        .collect()
}

fn check_low_degree(
    program: &Program,
    claims: &Claims,
    answers: &Answers,
    challenges: &Challenges,
) -> Result<(), String> {
    let (committed, last) = layers(program);
    let mut expected = deep_values(program, claims, answers, challenges);
    for ((layer, openings), fold) in committed.iter().zip(&answers.layers).zip(&challenges.folds) {
        let leaf_count = layer.size / program.folding;
        let opened: BTreeMap<usize, Vec<Extension>> = openings
            .indices
            .iter()
            .zip(&openings.leaves)
            .map(|(leaf, values)| (*leaf, to_extensions(values)))
            .collect();
        for (index, value) in &expected {
            let found = opened.get(&(index % leaf_count)).and_then(|v| v.get(index / leaf_count));
            if found != Some(value) {
                return Err("a FRI layer is inconsistent with the layer before it".into());
            }
        }
        expected = opened
            .iter()
            .map(|(leaf, values)| (*leaf, layer.fold(values, *leaf, *fold)))
            .collect();
    }
    for (index, value) in &expected {
        if evaluate(&claims.last, Extension::base(last.point(*index))) != *value {
            return Err("the last FRI layer does not match the final polynomial".into());
        }
    }
    Ok(())
}

/// The expected value of the first layer at each opened position.
fn deep_values(
    program: &Program,
    claims: &Claims,
    answers: &Answers,
    challenges: &Challenges,
) -> BTreeMap<usize, Extension> {
    let domain = Layer::first(program);
    let point = challenges.point;
    let next_point = point.scale(field::root_of_unity(program.rows));
    let mut values = BTreeMap::new();
    for (i, position) in challenges.positions.iter().enumerate() {
        let x = Extension::base(domain.point(*position));
        let row = &answers.trace.leaves[i];
        let segments = to_extensions(&answers.quotient.leaves[i]);
        let mut now = ZERO;
        let mut then = ZERO;
        for column in 0..program.columns {
            let own = Extension::base(row[column]);
            let difference = own.sub(claims.current[column]);
            now = now.add(difference.mul(challenges.deep_current[column]));
            let difference = own.sub(claims.next[column]);
            then = then.add(difference.mul(challenges.deep_next[column]));
        }
        for (s, segment) in segments.iter().enumerate() {
            let difference = segment.sub(claims.segments[s]);
            now = now.add(difference.mul(challenges.deep_segments[s]));
        }
        let mask = to_extensions(&row[program.columns..]).first().copied().unwrap_or(ZERO);
        let divided = now.mul(x.sub(point).inverse());
        let divided_next = then.mul(x.sub(next_point).inverse());
        values.insert(*position, divided.add(divided_next).add(mask));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_is_neither_a_row_nor_in_the_domain() {
        let program = Program::parse(crate::RISK_PROGRAM).expect("the program");
        let domain = Layer::first(&program);
        for index in [0, 1, 77, domain.size - 1] {
            let refused = check_point(&program, Extension::base(domain.point(index)));
            assert_eq!(refused, Err("the challenge point is in the evaluation domain".into()));
        }
        let row = field::pow(field::root_of_unity(program.rows), 5);
        let refused = check_point(&program, Extension::base(row));
        assert_eq!(refused, Err("the challenge point is a row of the trace".into()));
        for last in 1..100 {
            assert_eq!(check_point(&program, Extension([7, 0, 3, 0, last])), Ok(()));
        }
    }
}
