//! The program: parameters, columns and constraints, parsed from its text.

use crate::extension::{Extension, ZERO};
use crate::field::P;

pub struct Program {
    pub rows: usize,
    pub used_rows: usize,
    pub blowup: usize,
    pub queries: usize,
    pub grinding_bits: u32,
    pub folding: usize,
    pub final_coefficients: usize,
    pub segments: usize,
    pub columns: usize,
    pub publics: usize,
    /// By column, the nonzero cells: row and value.
    pub fixed: Vec<Vec<(usize, u64)>>,
    steps: Vec<Step>,
    constraints: Vec<usize>,
}

enum Step {
    Column(usize),
    Next(usize),
    Fixed(usize),
    Public(usize),
    Sum(u64, Vec<(u64, usize)>),
    Product(usize, usize),
}

/// The maximum degree of a constraint, which belongs to the proof system, not to a program.
const CONSTRAINT_DEGREE: usize = 4;

/// The values of the trace at one point.
pub struct Opened<'a> {
    pub current: &'a [Extension],
    pub next: &'a [Extension],
    pub fixed: &'a [Extension],
    pub publics: &'a [u64],
}

impl Program {
    pub fn parse(text: &str) -> Result<Program, String> {
        let mut lines = text.lines();
        expect(lines.next(), "touchstone-stark 1")?;
        expect(lines.next(), "program risk-v1")?;
        expect(
            lines.next(),
            "field 2013265921 generator 31 extension 5 nonresidue 2 hash sha-256",
        )?;
        let [rows, used_rows] = numbers(lines.next(), ["rows", "used"])?;
        let [blowup, queries, grinding] =
            numbers(lines.next(), ["blowup", "queries", "grinding"])?;
        let [folding, final_coefficients, segments] =
            numbers(lines.next(), ["folding", "final", "segments"])?;
        let [columns, publics] = numbers(lines.next(), ["columns", "publics"])?;
        let mut program = Program {
            rows,
            used_rows,
            blowup,
            queries,
            grinding_bits: grinding as u32,
            folding,
            final_coefficients,
            segments,
            columns,
            publics,
            fixed: Vec::new(),
            steps: Vec::new(),
            constraints: Vec::new(),
        };
        for line in lines {
            program.read_line(line)?;
        }
        program.check()?;
        Ok(program)
    }

    fn read_line(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or("");
        let mut given = Vec::new();
        for word in words {
            given.push(word.parse::<u64>().map_err(|_| format!("not a number: {}", word))?);
        }
        let index = |i: usize| given.get(i).map(|n| *n as usize).ok_or("a line is too short");
        let step = match name {
            "fixed" => {
                let cells = given.chunks_exact(2).map(|cell| (cell[0] as usize, cell[1]));
                self.fixed.push(cells.collect());
                return Ok(());
            }
            "constraints" => {
                self.constraints = given.iter().map(|n| *n as usize).collect();
                return Ok(());
            }
            "column" => Step::Column(index(0)?),
            "next" => Step::Next(index(0)?),
            "load" => Step::Fixed(index(0)?),
            "public" => Step::Public(index(0)?),
            "product" => Step::Product(index(0)?, index(1)?),
            "sum" => {
                let constant = *given.first().ok_or("a line is too short")?;
                let terms = given[1..].chunks_exact(2).map(|term| (term[0], term[1] as usize));
                Step::Sum(constant, terms.collect())
            }
            _ => return Err(format!("unknown line: {}", name)),
        };
        self.steps.push(step);
        Ok(())
    }

    /// Checks all indices, so that evaluation cannot go out of bounds.
    fn check(&self) -> Result<(), String> {
        let inside = self.steps.iter().enumerate().all(|(at, step)| match step {
            Step::Column(i) | Step::Next(i) => *i < self.columns,
            Step::Fixed(i) => *i < self.fixed.len(),
            Step::Public(i) => *i < self.publics,
            Step::Sum(constant, terms) => {
                *constant < P && terms.iter().all(|(factor, of)| *factor < P && *of < at)
            }
            Step::Product(left, right) => *left < at && *right < at,
        });
        let cells = self.fixed.iter().flatten().all(|(row, v)| *row < self.used_rows && *v < P);
        let known = self.constraints.iter().all(|step| *step < self.steps.len());
        let sizes = [self.rows, self.blowup, self.folding].iter().all(|n| n.is_power_of_two());
        if inside && cells && known && sizes && self.used_rows <= self.rows {
            Ok(())
        } else {
            Err("the program is not well formed".into())
        }
    }

    pub fn domain_size(&self) -> usize {
        self.rows * self.blowup
    }

    pub fn segment_length(&self) -> usize {
        (CONSTRAINT_DEGREE - 1) * self.rows / self.segments
    }

    pub fn constraint_count(&self) -> usize {
        self.constraints.len()
    }

    pub fn parameters(&self) -> [u64; 8] {
        [
            self.rows as u64,
            self.used_rows as u64,
            self.blowup as u64,
            self.queries as u64,
            u64::from(self.grinding_bits),
            self.folding as u64,
            self.final_coefficients as u64,
            self.segments as u64,
        ]
    }

    /// Evaluates all constraints.
    pub fn evaluate(&self, at: &Opened) -> Vec<Extension> {
        let mut values: Vec<Extension> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let value = match step {
                Step::Column(i) => at.current[*i],
                Step::Next(i) => at.next[*i],
                Step::Fixed(i) => at.fixed[*i],
                Step::Public(i) => Extension::base(at.publics[*i]),
                Step::Product(left, right) => values[*left].mul(values[*right]),
                Step::Sum(constant, terms) => terms
                    .iter()
                    .fold(Extension::base(*constant), |sum, (factor, of)| {
                        sum.add(values[*of].scale(*factor))
                    }),
            };
            values.push(value);
        }
        self.constraints.iter().map(|step| values.get(*step).copied().unwrap_or(ZERO)).collect()
    }
}

fn expect(line: Option<&str>, expected: &str) -> Result<(), String> {
    if line == Some(expected) {
        Ok(())
    } else {
        Err(format!("expected the line: {}", expected))
    }
}

/// Parses a line of names, each followed by its number.
fn numbers<const N: usize>(line: Option<&str>, names: [&str; N]) -> Result<[usize; N], String> {
    let words: Vec<&str> = line.unwrap_or("").split(' ').collect();
    let mut found = [0; N];
    if words.len() != 2 * N {
        return Err("a parameter line has the wrong number of fields".into());
    }
    for (i, name) in names.iter().enumerate() {
        if words[2 * i] != *name {
            return Err(format!("expected {}", name));
        }
        found[i] = words[2 * i + 1].parse().map_err(|_| format!("{}: not a number", name))?;
    }
    Ok(found)
}
