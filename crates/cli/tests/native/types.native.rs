//! How the types of `types.rs` are read from what Pessimum shows.

use crate::reader::{Made, Reader, made_in};
use crate::subject::{Meter, Node, Shape};

impl Made for Shape {
    fn made(reader: &mut Reader) -> Shape {
        match reader.word().as_str() {
            "Shape::Point" => Shape::Point,
            "Shape::Circle" => {
                reader.expect("(");
                let radius = made_in(reader);
                reader.expect(")");
                Shape::Circle(radius)
            }
            "Shape::Box" => {
                reader.expect("{ width:");
                let width = made_in(reader);
                reader.expect(", height:");
                let height = made_in(reader);
                reader.expect(", name:");
                let name = made_in(reader);
                reader.expect("}");
                Shape::Box { width, height, name }
            }
            other => panic!("`{other}` is no shape"),
        }
    }
}

impl Made for Node {
    fn made(reader: &mut Reader) -> Node {
        reader.expect("Node { value:");
        let value = made_in(reader);
        reader.expect(", next:");
        let next = made_in(reader);
        reader.expect("}");
        Node { value, next }
    }
}

impl Made for Meter {
    fn made(reader: &mut Reader) -> Meter {
        reader.expect("Meter::new(");
        let factor = made_in(reader);
        reader.expect(")");
        Meter::new(factor)
    }
}
