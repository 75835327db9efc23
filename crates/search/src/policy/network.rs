//! The Q-network of PySE: one LSTM cell applied over the last decisions, and a linear layer over everything that it put
//! out (Koo et al., "PySE: automatic worst-case test generation by reinforcement learning", section IV-C and Figure 5).
//!
//! A search must give the same bytes on every machine, and a network amplifies the last bit of a number into another
//! path. So nothing is computed here but sums, products, quotients and square roots, which IEEE 754 defines to the last
//! bit, in an order that the source fixes; [`exp`] is our own, since those of mathematical libraries differ.

use crate::program::SiteId;
use crate::random::Random;
use std::collections::BTreeMap;
use std::fmt;

/// Numbers that encode one decision of a state: F1, F2 and F3 of the paper's Figure 4.
pub const FIELDS: usize = 3;

/// One decision of a state as the network reads it.
pub type Row = [f64; FIELDS];

/// Outputs: the values of the actions false and true.
const ACTIONS: usize = 2;

/// Gates of an LSTM cell: forget, input, candidate, output (Olah's account, the paper's reference 33).
const GATES: usize = 4;
const FORGET: usize = 0;
const INPUT: usize = 1;
const CANDIDATE: usize = 2;
const OUTPUT: usize = 3;

/// The greatest history and the greatest number of hidden units. Published: 2 and 2.
pub const MOST_HISTORY: usize = 64;
/// See [`MOST_HISTORY`].
pub const MOST_HIDDEN: usize = 64;

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Decisions before the present one that a state has: L.
    pub history: usize,
    /// Length of the cell's output and of its memory.
    pub hidden: usize,
}

impl Shape {
    /// Weights of one unit of one gate: bias, fields, and the cell's output of the step before.
    fn stride(self) -> usize {
        1 + FIELDS + self.hidden
    }

    /// Weights of the cell.
    pub fn cell_weights(self) -> usize {
        GATES * self.hidden * self.stride()
    }

    /// Weights of the linear layer, which has no bias (equation 7).
    pub fn output_weights(self) -> usize {
        ACTIONS * (self.history + 1) * self.hidden
    }

    /// All weights.
    pub fn weights(self) -> usize {
        self.cell_weights() + self.output_weights()
    }

    fn unit(self, gate: usize, unit: usize) -> usize {
        (gate * self.hidden + unit) * self.stride()
    }

    fn output(self, action: usize, row: usize) -> usize {
        self.cell_weights() + (action * (self.history + 1) + row) * self.hidden
    }
}

/// Why weights are not those of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// History or hidden units are out of range.
    Shape(Shape),
    /// A network of this shape has another number of weights.
    Count {
        /// Which weights.
        part: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A weight is infinite or not a number.
    NotFinite {
        /// Its place among all weights.
        index: usize,
    },
    /// A site has the number 0, which stands for no decision.
    Unnumbered(u32),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Shape(Shape { history, hidden }) => write!(
                f,
                "a network with a history of {history} and {hidden} hidden units: expected at most {MOST_HISTORY} and \
                 from 1 to {MOST_HIDDEN}"
            ),
            NetworkError::Count { part, found, expected } => {
                write!(f, "the network's {part} has {found} weights instead of {expected}")
            }
            NetworkError::NotFinite { index } => write!(f, "weight {index} of the network is not a finite number"),
            NetworkError::Unnumbered(site) => write!(f, "the network numbers site {site} with 0, which means no site"),
        }
    }
}

impl std::error::Error for NetworkError {}

/// A network. Its weights are finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    shape: Shape,
    /// By gate, unit and input (bias, fields, output of the step before); then by action, row and unit.
    weights: Vec<f64>,
}

/// What a network computed for one state, kept for the gradient. Reused from state to state.
#[derive(Clone, Debug, Default)]
pub struct Activations {
    /// By row, gate and unit.
    gates: Vec<f64>,
    /// By row and unit: the cell's memory, its hyperbolic tangent, and the cell's output. One row more than the state
    /// has, for the zeros before the first step.
    memory: Vec<f64>,
    squashed: Vec<f64>,
    output: Vec<f64>,
    /// Scratch of the backward pass: derivatives by the cell's output and memory, each with the step before.
    errors: [Vec<f64>; 4],
}

impl Network {
    /// Random weights: uniform in +-1/2 divided by the square root of the number of inputs, with 1 as the bias of the
    /// forget gate, so that a new cell remembers. The paper says only that they are random (section V).
    pub fn random(shape: Shape, random: &mut Random) -> Network {
        let mut weights = Vec::with_capacity(shape.weights());
        let inputs = [
            (shape.cell_weights(), (FIELDS + shape.hidden) as f64),
            (shape.output_weights(), ((shape.history + 1) * shape.hidden) as f64),
        ];
        for (count, fan_in) in inputs {
            let scale = 1.0 / fan_in.sqrt();
            weights.extend((0..count).map(|_| (random.unit() - 0.5) * scale));
        }
        for unit in 0..shape.hidden {
            weights[shape.unit(FORGET, unit)] = 1.0;
        }
        Network { shape, weights }
    }

    /// From saved weights.
    pub fn new(shape: Shape, cell: &[f64], output: &[f64]) -> Result<Network, NetworkError> {
        if shape.history > MOST_HISTORY || !(1..=MOST_HIDDEN).contains(&shape.hidden) {
            return Err(NetworkError::Shape(shape));
        }
        let parts = [("cell", cell.len(), shape.cell_weights()), ("output", output.len(), shape.output_weights())];
        for (part, found, expected) in parts {
            if found != expected {
                return Err(NetworkError::Count { part, found, expected });
            }
        }
        let weights = [cell, output].concat();
        match weights.iter().position(|weight| !weight.is_finite()) {
            Some(index) => Err(NetworkError::NotFinite { index }),
            None => Ok(Network { shape, weights }),
        }
    }

    /// Its sizes.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The weights of the cell and those of the linear layer.
    pub fn parts(&self) -> (&[f64], &[f64]) {
        self.weights.split_at(self.shape.cell_weights())
    }

    /// Q of the actions false and true in this state, which has `history + 1` rows, the present decision first. The cell
    /// reads them from the oldest to the present one.
    pub fn values(&self, state: &[Row], kept: &mut Activations) -> [f64; ACTIONS] {
        let Shape { hidden, .. } = self.shape;
        let rows = state.len();
        kept.gates.resize(rows * GATES * hidden, 0.0);
        for part in [&mut kept.memory, &mut kept.squashed, &mut kept.output] {
            part.clear();
            part.resize((rows + 1) * hidden, 0.0);
        }
        let mut values = [0.0; ACTIONS];
        for row in (0..rows).rev() {
            let (now, before) = (row * hidden, (row + 1) * hidden);
            for gate in 0..GATES {
                for unit in 0..hidden {
                    let at = self.shape.unit(gate, unit);
                    let weights = &self.weights[at..at + self.shape.stride()];
                    let mut sum = weights[0];
                    for (weight, field) in weights[1..].iter().zip(&state[row]) {
                        sum += weight * field;
                    }
                    for (weight, output) in weights[1 + FIELDS..].iter().zip(&kept.output[before..before + hidden]) {
                        sum += weight * output;
                    }
                    kept.gates[(row * GATES + gate) * hidden + unit] =
                        if gate == CANDIDATE { tanh(sum) } else { sigmoid(sum) };
                }
            }
            for unit in 0..hidden {
                let gate = |gate: usize| kept.gates[(row * GATES + gate) * hidden + unit];
                let memory = gate(FORGET) * kept.memory[before + unit] + gate(INPUT) * gate(CANDIDATE);
                let squashed = tanh(memory);
                let output = gate(OUTPUT) * squashed;
                kept.memory[now + unit] = memory;
                kept.squashed[now + unit] = squashed;
                kept.output[now + unit] = output;
                for (action, value) in values.iter_mut().enumerate() {
                    *value += self.weights[self.shape.output(action, row) + unit] * output;
                }
            }
        }
        values
    }

    /// Adds `factor` times the gradient of Q(state, action) by all weights to `gradient`, by backpropagation through
    /// time. `kept` must be what [`Network::values`] left for this state.
    pub fn add_gradient(
        &self,
        state: &[Row],
        kept: &mut Activations,
        action: usize,
        factor: f64,
        gradient: &mut [f64],
    ) {
        let Shape { hidden, .. } = self.shape;
        let Activations { gates, memory, squashed, output, errors } = kept;
        for error in errors.iter_mut() {
            error.clear();
            error.resize(hidden, 0.0);
        }
        let [by_output, by_memory, by_output_before, by_memory_before] = errors;
        // Forwards in rows is backwards in time.
        for row in 0..state.len() {
            let (now, before) = (row * hidden, (row + 1) * hidden);
            by_output_before.fill(0.0);
            for unit in 0..hidden {
                let linear = self.shape.output(action, row) + unit;
                gradient[linear] += factor * output[now + unit];
                by_output[unit] += factor * self.weights[linear];
                let gate = |gate: usize| gates[(row * GATES + gate) * hidden + unit];
                let (forget, input, candidate, out) = (gate(FORGET), gate(INPUT), gate(CANDIDATE), gate(OUTPUT));
                let squash = squashed[now + unit];
                let by_cell = by_memory[unit] + by_output[unit] * out * (1.0 - squash * squash);
                by_memory_before[unit] = by_cell * forget;
                let by_sum = [
                    by_cell * memory[before + unit] * forget * (1.0 - forget),
                    by_cell * candidate * input * (1.0 - input),
                    by_cell * input * (1.0 - candidate * candidate),
                    by_output[unit] * squash * out * (1.0 - out),
                ];
                for (gate, by_sum) in by_sum.into_iter().enumerate() {
                    let at = self.shape.unit(gate, unit);
                    gradient[at] += by_sum;
                    for (field, value) in state[row].iter().enumerate() {
                        gradient[at + 1 + field] += by_sum * value;
                    }
                    for other in 0..hidden {
                        let weight = at + 1 + FIELDS + other;
                        gradient[weight] += by_sum * output[before + other];
                        by_output_before[other] += by_sum * self.weights[weight];
                    }
                }
            }
            std::mem::swap(by_output, by_output_before);
            std::mem::swap(by_memory, by_memory_before);
        }
    }
}

/// Adam (Kingma and Ba, ICLR 2015) with its published constants. The paper leaves the optimiser open ("various
/// optimization techniques", section IV-C); rewards add up to thousands along a path, and steps whose size does not
/// depend on the gradient's keep the weights finite.
#[derive(Clone, Debug)]
pub struct Adam {
    rate: f64,
    mean: Vec<f64>,
    square: Vec<f64>,
    /// The two decay rates to the power of the steps made.
    decay: [f64; 2],
}

impl Adam {
    const DECAY: [f64; 2] = [0.9, 0.999];
    const TINY: f64 = 1e-8;

    /// No step made yet; `rate` is about the length of a step in each weight.
    pub fn new(rate: f64, shape: Shape) -> Adam {
        Adam { rate, mean: vec![0.0; shape.weights()], square: vec![0.0; shape.weights()], decay: [1.0; 2] }
    }

    /// One step along the gradient, uphill. A gradient that is not finite is left out.
    pub fn climb(&mut self, network: &mut Network, gradient: &[f64]) {
        if gradient.iter().any(|slope| !slope.is_finite()) {
            return;
        }
        let [first, second] = Adam::DECAY;
        self.decay[0] *= first;
        self.decay[1] *= second;
        for (index, &slope) in gradient.iter().enumerate() {
            self.mean[index] = first * self.mean[index] + (1.0 - first) * slope;
            self.square[index] = second * self.square[index] + (1.0 - second) * slope * slope;
            let mean = self.mean[index] / (1.0 - self.decay[0]);
            let square = self.square[index] / (1.0 - self.decay[1]);
            let weight = network.weights[index] + self.rate * mean / (square.sqrt() + Adam::TINY);
            if weight.is_finite() {
                network.weights[index] = weight;
            }
        }
    }
}

/// A network with what its inputs mean: the policy that PySE learns, saves and loads.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkPolicy {
    /// The weights.
    pub network: Network,
    /// Whether F1 is a share of the longest path instead of a number.
    pub scaled: bool,
    /// F2 of each site that was met, from 1.
    pub sites: BTreeMap<SiteId, u32>,
}

/// Beyond this, [`sigmoid`] and [`tanh`] do not change any more.
const SATURATED: f64 = 40.0;

/// The exponential function, for arguments from -[`SATURATED`] to [`SATURATED`]; those beyond count as these. The error
/// is a few units in the last place.
fn exp(x: f64) -> f64 {
    let x = x.clamp(-SATURATED, SATURATED);
    let quotient = x * std::f64::consts::LOG2_E;
    let twos = (quotient + if quotient < 0.0 { -0.5 } else { 0.5 }) as i64;
    let rest = x - twos as f64 * std::f64::consts::LN_2;
    // Taylor's series by Horner's rule; the rest is at most 0.35.
    let mut sum = 0.0;
    for factor in RECIPROCAL_FACTORIALS.iter().rev() {
        sum = sum * rest + factor;
    }
    sum * f64::from_bits(((twos + 1023) as u64) << 52)
}

/// 1/0!, 1/1!, ..., 1/13!.
const RECIPROCAL_FACTORIALS: [f64; 14] = {
    let mut factors = [1.0; 14];
    let mut factorial = 1.0;
    let mut number = 1;
    while number < factors.len() {
        factorial *= number as f64;
        factors[number] = 1.0 / factorial;
        number += 1;
    }
    factors
};

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

fn tanh(x: f64) -> f64 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(random: &mut Random, shape: Shape) -> Vec<Row> {
        (0..=shape.history).map(|_| std::array::from_fn(|_| 6.0 * random.unit() - 3.0)).collect()
    }

    /// The functions agree with those of the platform, as far as these can be trusted.
    #[test]
    fn functions_are_accurate() {
        let mut worst: f64 = 0.0;
        for step in -4000..=4000 {
            let x = f64::from(step) / 100.0;
            worst = worst.max((exp(x) / x.exp() - 1.0).abs());
            assert!((tanh(x) - x.tanh()).abs() < 1e-14, "tanh {x}");
            assert!((sigmoid(x) - 1.0 / (1.0 + (-x).exp())).abs() < 1e-14, "sigmoid {x}");
        }
        assert!(worst < 1e-14, "{worst}");
        assert_eq!((sigmoid(1e300), sigmoid(-1e300) < 1e-17, tanh(-1e300)), (1.0, true, -1.0));
    }

    /// Bit patterns that every machine must give: a platform whose floats differ fails here first.
    #[test]
    fn values_are_the_same_on_every_machine() {
        let shape = Shape { history: 2, hidden: 2 };
        let network = Network::random(shape, &mut Random::new(1));
        let state = [[3.0, 2.0, -1.0], [2.0, 1.0, 1.0], [1.0, 1.0, 0.0]];
        let values = network.values(&state, &mut Activations::default());
        assert_eq!(values.map(f64::to_bits), [13_806_563_625_984_000_476, 13_804_490_957_842_173_092]);
    }

    /// Backpropagation against differences of the values, for several shapes and both actions.
    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        const STEP: f64 = 1e-5;
        let mut random = Random::new(5);
        for (history, hidden) in [(0, 1), (0, 3), (1, 2), (2, 2), (5, 4)] {
            let shape = Shape { history, hidden };
            let mut network = Network::random(shape, &mut random);
            let state = state(&mut random, shape);
            let mut kept = Activations::default();
            for action in 0..ACTIONS {
                network.values(&state, &mut kept);
                let mut gradient = vec![0.0; shape.weights()];
                network.add_gradient(&state, &mut kept, action, 2.0, &mut gradient);
                for (index, slope) in gradient.iter().enumerate() {
                    let weight = network.weights[index];
                    let [above, below] = [STEP, -STEP].map(|step| {
                        network.weights[index] = weight + step;
                        network.values(&state, &mut Activations::default())[action]
                    });
                    network.weights[index] = weight;
                    let expected = 2.0 * (above - below) / (2.0 * STEP);
                    assert!((slope - expected).abs() < 1e-8, "{shape:?}, weight {index}: {slope} and {expected}");
                }
                let other = shape.output(1 - action, 0);
                assert!(gradient[other..other + hidden].iter().all(|slope| *slope == 0.0), "the other action's row");
            }
        }
    }

    /// A network learns a rule that needs the decision before the last: take what was not taken then.
    #[test]
    fn a_network_learns_what_depends_on_history() {
        let shape = Shape { history: 2, hidden: 2 };
        let mut random = Random::new(3);
        let mut network = Network::random(shape, &mut random);
        let mut adam = Adam::new(0.01, shape);
        let mut kept = Activations::default();
        let state = |last: u64, before: u64| [[0.0, 1.0, -1.0], [0.0, 1.0, last as f64], [0.0, 1.0, before as f64]];
        for _ in 0..4000 {
            let (last, before, action) = (random.below(2), random.below(2), random.index(2));
            let target = if action as u64 != before { 1.0 } else { -1.0 };
            let state = state(last, before);
            let error = target - network.values(&state, &mut kept)[action];
            let mut gradient = vec![0.0; shape.weights()];
            network.add_gradient(&state, &mut kept, action, error, &mut gradient);
            adam.climb(&mut network, &gradient);
        }
        for (last, before) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let [no, yes] = network.values(&state(last, before), &mut kept);
            assert_eq!(yes > no, before == 0, "after {before}, {last}: {no} and {yes}");
        }
    }

    #[test]
    fn damaged_weights_are_refused() {
        let shape = Shape { history: 2, hidden: 2 };
        let network = Network::random(shape, &mut Random::new(1));
        let (cell, output) = network.parts();
        assert_eq!(Network::new(shape, cell, output).as_ref(), Ok(&network));
        let mut damaged = output.to_vec();
        damaged[3] = f64::NAN;
        assert_eq!(Network::new(shape, cell, &damaged), Err(NetworkError::NotFinite { index: cell.len() + 3 }));
        assert_eq!(
            Network::new(shape, &cell[1..], output).unwrap_err().to_string(),
            "the network's cell has 47 weights instead of 48"
        );
        for shape in [Shape { hidden: 0, ..shape }, Shape { hidden: usize::MAX, ..shape }] {
            assert_eq!(Network::new(shape, &[], &[]), Err(NetworkError::Shape(shape)));
        }
    }
}
