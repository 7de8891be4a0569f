//! Objects of signed documents: exactly the expected fields, each of its type. An unknown field is
//! rejected, because no signature covers it and a reader might trust it.

use crate::json::{Object, Value};

/// The largest whole number that every reader of JSON knows exactly: 2^53 - 1.
const COUNT_MAX: f64 = 9_007_199_254_740_991.0;

pub struct Fields<'a> {
    /// Named in messages.
    what: &'static str,
    object: &'a Object,
}

impl<'a> Fields<'a> {
    /// Fails unless the value is an object with exactly these fields.
    pub fn of(value: &'a Value, what: &'static str, names: &[&str]) -> Result<Fields<'a>, String> {
        let object = match value {
            Value::Object(object) => object,
            _ => return Err(format!("{} must be an object", what)),
        };
        match object.keys().find(|name| !names.contains(&name.as_str())) {
            Some(unknown) => Err(format!("{}: unknown field {:?}", what, unknown)),
            None => {
                let fields = Fields { what, object };
                names.iter().try_for_each(|name| fields.get(name).map(|_| ()))?;
                Ok(fields)
            }
        }
    }

    pub fn get(&self, name: &str) -> Result<&'a Value, String> {
        self.object.get(name).ok_or_else(|| format!("{}: {} is missing", self.what, name))
    }

    pub fn text(&self, name: &str) -> Result<&'a str, String> {
        match self.get(name)? {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong(name, "a string")),
        }
    }

    /// A string that can have only one of these values.
    pub fn one_of(&self, name: &str, allowed: &[&str]) -> Result<&'a str, String> {
        let text = self.text(name)?;
        if allowed.contains(&text) {
            Ok(text)
        } else {
            Err(self.wrong(name, &allowed.join(" or ")))
        }
    }

    /// A whole number from 0 to 2^53 - 1.
    pub fn count(&self, name: &str) -> Result<u64, String> {
        match self.get(name)? {
            Value::Number(number)
                if number.fract() == 0.0 && (0.0..=COUNT_MAX).contains(number) =>
            {
                Ok(*number as u64)
            }
            _ => Err(self.wrong(name, "a whole number from 0 to 2^53 - 1")),
        }
    }

    pub fn list(&self, name: &str) -> Result<&'a [Value], String> {
        match self.get(name)? {
            Value::List(items) => Ok(items),
            _ => Err(self.wrong(name, "an array")),
        }
    }

    pub fn text_or_null(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.get(name)? {
            Value::Null => Ok(None),
            _ => self.text(name).map(Some),
        }
    }

    pub fn count_or_null(&self, name: &str) -> Result<Option<u64>, String> {
        match self.get(name)? {
            Value::Null => Ok(None),
            _ => self.count(name).map(Some),
        }
    }

    fn wrong(&self, name: &str, expected: &str) -> String {
        format!("{}: {} must be {}", self.what, name, expected)
    }
}
