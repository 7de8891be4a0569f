//! Ed25519 against the examples of RFC 8032, and against signatures that lax verifiers accept.

use touchstone_verifier::{ed25519, hex, sha512};

struct Case {
    name: &'static str,
    message: &'static str,
    key: &'static str,
    r: &'static str,
    s: &'static str,
    valid: bool,
}

/// RFC 8032 §7.1.
const RFC: [Case; 3] = [
    Case {
        name: "test 1",
        message: "",
        key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        r: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155",
        s: "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        valid: true,
    },
    Case {
        name: "test 2",
        message: "72",
        key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        r: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
        s: "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        valid: true,
    },
    Case {
        name: "test 3",
        message: "af82",
        key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        r: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac",
        s: "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        valid: true,
    },
];

/// The cases of "Taming the many EdDSAs" (Chalkias, Garillot, Nikolaenko). libsodium judges them
/// the same way.
const EDGES: [Case; 12] = [
    Case {
        name: "small A and R",
        message: "8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6",
        key: "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        r: "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        s: "0000000000000000000000000000000000000000000000000000000000000000",
        valid: false,
    },
    Case {
        name: "small A",
        message: "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
        key: "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        r: "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
        s: "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
        valid: false,
    },
    Case {
        name: "small R",
        message: "aebf3f2601a0c8c5d39cc7d8911642f740b78168218da8471772b35f9d35b9ab",
        key: "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
        r: "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        s: "8c4bd45aecaca5b24fb97bc10ac27ac8751a7dfe1baff8b953ec9f5833ca260e",
        valid: false,
    },
    Case {
        name: "mixed A and R, and the equation holds",
        message: "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
        key: "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        r: "9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f",
        s: "87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009",
        valid: true,
    },
    Case {
        name: "only the equation with cofactor holds",
        message: "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
        key: "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        r: "160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed512",
        s: "5ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09",
        valid: false,
    },
    Case {
        name: "only the equation with cofactor holds",
        message: "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
        key: "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        r: "21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7",
        s: "e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405",
        valid: false,
    },
    Case {
        name: "S above L",
        message: "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
        key: "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
        r: "e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e",
        s: "547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514",
        valid: false,
    },
    Case {
        name: "S far above L",
        message: "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
        key: "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
        r: "8ce5b96c8f26d0ab6c47958c9e68b937104cd36e13c33566acd2fe8d38aa1942",
        s: "7e71f98a473474f2f13f06f97c20d58cc3f54b8bd0d272f42b695dd7e89a8c22",
        valid: false,
    },
    Case {
        name: "R not canonical, reduced for the hash",
        message: "9bedc267423725d473888631ebf45988bad3db83851ee85c85e241a07d148b41",
        key: "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
        r: "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        s: "03be9678ac102edcd92b0210bb34d7428d12ffc5df5f37e359941266a4e35f0f",
        valid: false,
    },
    Case {
        name: "R not canonical, not reduced",
        message: "9bedc267423725d473888631ebf45988bad3db83851ee85c85e241a07d148b41",
        key: "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
        r: "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        s: "ca8c5b64cd208982aa38d4936621a4775aa233aa0505711d8fdcfdaa943d4908",
        valid: false,
    },
    Case {
        name: "A not canonical, reduced for the hash",
        message: "e96b7021eb39c1a163b6da4e3093dcd3f21387da4cc4572be588fafae23c155b",
        key: "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        r: "a9d55260f765261eb9b84e106f665e00b867287a761990d7135963ee0a7d59dc",
        s: "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
        valid: false,
    },
    Case {
        name: "A not canonical, not reduced",
        message: "39a591f5321bbe07fd5a23dc2f39d025d74526615746727ceefd6e82ae65c06f",
        key: "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        r: "a9d55260f765261eb9b84e106f665e00b867287a761990d7135963ee0a7d59dc",
        s: "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
        valid: false,
    },
];

/// The points whose order divides 8; each with both signs of x.
const SMALL_ORDER: [&str; 5] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
];

/// L, little-endian.
const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";

fn bytes(text: &str) -> Vec<u8> {
    let digits = (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16));
    digits.collect::<Result<_, _>>().expect("hex")
}

fn signature(r: &str, s: &str) -> Vec<u8> {
    [bytes(r), bytes(s)].concat()
}

fn is_valid(case: &Case) -> bool {
    ed25519::verify(&bytes(case.message), &signature(case.r, case.s), &bytes(case.key))
}

#[test]
fn sha512_matches_the_standard_vectors() {
    let abc = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
               2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
    assert_eq!(hex::encode(&sha512::digest(b"abc")), abc);
    let empty = "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
                 47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e";
    assert_eq!(hex::encode(&sha512::digest(b"")), empty);
    let two_blocks = "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
                      501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909";
    let input = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno\
                 ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
    assert_eq!(hex::encode(&sha512::digest(input.as_bytes())), two_blocks);
}

#[test]
fn the_examples_and_edge_cases_are_judged_as_published() {
    for case in RFC.iter().chain(&EDGES) {
        assert_eq!(is_valid(case), case.valid, "{}", case.name);
    }
}

#[test]
fn any_flipped_bit_of_message_signature_or_key_is_rejected() {
    for case in &RFC[1..] {
        let parts = [bytes(case.message), signature(case.r, case.s), bytes(case.key)];
        for part in 0..parts.len() {
            for bit in 0..8 * parts[part].len() {
                let mut changed = parts.clone();
                changed[part][bit / 8] ^= 1 << (bit % 8);
                let valid = ed25519::verify(&changed[0], &changed[1], &changed[2]);
                assert!(!valid, "{}, part {}, bit {}", case.name, part, bit);
            }
        }
    }
}

#[test]
fn any_other_length_is_rejected() {
    let [case, ..] = &RFC;
    let (good, key) = (signature(case.r, case.s), bytes(case.key));
    for length in [0, 1, 31, 33, 63, 65, 96, 128] {
        let mut resized = good.clone();
        resized.resize(length, 0);
        assert!(!ed25519::verify(b"", &resized, &key), "signature of {}", length);
        assert!(!ed25519::verify(b"", &good, &resized), "key of {}", length);
    }
}

#[test]
fn s_plus_a_multiple_of_the_order_is_rejected() {
    for case in &RFC {
        let mut raised = bytes(case.s);
        for times in 1..16 {
            let mut over = 0;
            for (byte, added) in raised.iter_mut().zip(bytes(ORDER)) {
                let sum = u16::from(*byte) + u16::from(added) + over;
                *byte = sum as u8;
                over = sum >> 8;
            }
            if over > 0 {
                break;
            }
            let changed = [bytes(case.r), raised.clone()].concat();
            let valid = ed25519::verify(&bytes(case.message), &changed, &bytes(case.key));
            assert!(!valid, "{} plus {} L", case.name, times);
        }
    }
}

#[test]
fn keys_and_r_of_small_order_are_rejected() {
    let [case, ..] = &RFC;
    for point in SMALL_ORDER {
        for sign in [0, 0x80] {
            let mut encoded = bytes(point);
            encoded[31] |= sign;
            for s in [case.s, SMALL_ORDER[0], SMALL_ORDER[1]] {
                for message in 0..16 {
                    let strange = [encoded.clone(), bytes(s)].concat();
                    assert!(!ed25519::verify(&[message], &strange, &encoded));
                    assert!(!ed25519::verify(&[message], &strange, &bytes(case.key)));
                }
            }
            // [1]B - [k]A is B for the identity as A, whatever the message is.
            let mut base = [0x66; 64];
            base[0] = 0x58;
            base[32..].copy_from_slice(&bytes(SMALL_ORDER[1]));
            assert!(!ed25519::verify(b"any message", &base, &encoded));
        }
    }
}

#[test]
fn encodings_of_y_from_the_prime_on_are_rejected() {
    let [case, ..] = &RFC;
    for extra in 0..19 {
        for sign in [0x7f, 0xff] {
            let mut encoded = [0xff; 32];
            encoded[0] = 0xed + extra;
            encoded[31] = sign;
            assert!(!ed25519::verify(b"", &signature(case.r, case.s), &encoded));
            let strange = [encoded.to_vec(), bytes(case.s)].concat();
            assert!(!ed25519::verify(b"", &strange, &bytes(case.key)));
        }
    }
}
