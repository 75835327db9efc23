// date(i16) -> i64
//! A timestamp of coarse steps as date and time; divisions of signed 64-bit numbers that round down.

pub fn date(step: i16) -> i64 {
    let seconds = i64::from(step) * 8_641;
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (mut year, mut day) = (1970i64, days);
    loop {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = if leap { 366 } else { 365 };
        if (0..length).contains(&day) {
            return (year * 1000 + day) * 100 + rest / 3600;
        }
        let step = if day < 0 { -1 } else { 1 };
        if step < 0 {
            year -= 1;
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            day += if leap { 366 } else { 365 };
        } else {
            year += 1;
            day -= length;
        }
    }
}
