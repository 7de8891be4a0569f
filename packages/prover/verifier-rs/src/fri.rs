//! The FRI layers and how a leaf folds into a point of the next layer.

use crate::extension::{Extension, ONE, ZERO};
use crate::field;
use crate::program::Program;

#[derive(Clone, Copy)]
pub struct Layer {
    pub size: usize,
    offset: u64,
    root: u64,
}

impl Layer {
    /// The evaluation domain.
    pub fn first(program: &Program) -> Layer {
        let size = program.domain_size();
        Layer { size, offset: field::GENERATOR, root: field::root_of_unity(size) }
    }

    pub fn point(&self, index: usize) -> u64 {
        field::mul(self.offset, field::pow(self.root, index as u64))
    }

    fn folded(&self, by: usize) -> Layer {
        Layer {
            size: self.size / by,
            offset: field::pow(self.offset, by as u64),
            root: field::pow(self.root, by as u64),
        }
    }

    /// Evaluates the polynomial through the points of a leaf at the challenge, by Lagrange
    /// interpolation.
    pub fn fold(&self, values: &[Extension], leaf: usize, challenge: Extension) -> Extension {
        let leaves = self.size / values.len();
        let points: Vec<u64> = (0..values.len()).map(|i| self.point(leaf + i * leaves)).collect();
        let mut folded = ZERO;
        for (i, value) in values.iter().enumerate() {
            let mut numerator = ONE;
            let mut denominator = 1;
            for (j, other) in points.iter().enumerate() {
                if i != j {
                    numerator = numerator.mul(challenge.sub(Extension::base(*other)));
                    denominator = field::mul(denominator, field::sub(points[i], *other));
                }
            }
            let basis = numerator.scale(field::inverse(denominator));
            folded = folded.add(value.mul(basis));
        }
        folded
    }
}

/// The committed layers, and the last layer, which is sent as coefficients.
pub fn layers(program: &Program) -> (Vec<Layer>, Layer) {
    let mut committed = Vec::new();
    let mut layer = Layer::first(program);
    let mut left = program.rows;
    while left > program.final_coefficients {
        committed.push(layer);
        layer = layer.folded(program.folding);
        left /= program.folding;
    }
    (committed, layer)
}
