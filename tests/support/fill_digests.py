#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Makes the bytes of operations/fill.c a second time, from the description in fill.h and random.h, and prints their
# SHA-256: the digests in fill_test.c. Not part of any build.
import hashlib
import struct

MASK = (1 << 64) - 1


def splitmix64(state):
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return state, z ^ (z >> 31)


def fnv1a(name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value


def rotate(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & MASK


class Stream:
    def __init__(self, seed, name):
        state = splitmix64(seed)[1] ^ fnv1a(name)
        self.s = []
        for _ in range(4):
            state, z = splitmix64(state)
            self.s.append(z)

    def next(self):
        s = self.s
        result = (rotate((s[1] * 5) & MASK, 7) * 9) & MASK
        shifted = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotate(s[3], 45)
        return result


SEED = 2026


def real(index, count, bits):
    stream = Stream(SEED, "fill real %d" % index)
    half = 2 ** (bits - 1)
    return [((stream.next() >> (64 - bits)) - half) / half for _ in range(count)]


def many_bits(word, index, count, bits):
    stream = Stream(SEED, "fill %s %d" % (word, index))
    return [2 * (stream.next() >> (64 - bits)) - (2**bits - 1) for _ in range(count)]


def signs(word, index, count, length, stride, terms):
    stream = Stream(SEED, "fill %s %d" % (word, index))
    period = -(-length // terms)
    values = []
    for at in range(count):
        sign = -1 if stream.next() >> 63 else 1
        place = at // stride % length
        row = at // length if stride == 1 else at % stride
        kept = period <= 1 or (length - 1 - place + row) % period == 0
        values.append(sign if kept else 0)
    return values


def bf16(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    low, high = bits & 0xFFFF, bits >> 16
    return struct.pack("<H", high + (low > 0x8000 or (low == 0x8000 and high % 2 == 1)))


def show(what, values, pack):
    print(hashlib.sha256(b"".join(pack(v) for v in values)).hexdigest(), what)


def f32(value):
    return struct.pack("<f", value)


def f16(value):
    return struct.pack("<e", value)


show("real f32 input 0, 7 x 5", real(0, 35, 24), f32)
show("real f32 input 1, 5 x 7", real(1, 35, 24), f32)
show("real f16 input 0, 7 x 5", real(0, 35, 24), f16)
show("real bf16 input 0, 7 x 5", real(0, 35, 24), bf16)
show("real f64 input 0, 7 x 5", real(0, 35, 53), lambda v: struct.pack("<d", v))
show("exact-left f32 input 0, 2 x 5", many_bits("exact-left", 0, 10, 12), f32)
show("exact-left f32 input 1, 5 x 3", signs("exact-left", 1, 15, 5, 3, 4096), f32)
show("exact-right f32 input 0, 2 x 5", signs("exact-right", 0, 10, 5, 1, 4096), f32)
show("exact-right f32 input 1, 5 x 3", many_bits("exact-right", 1, 15, 12), f32)
show("exact-left f32 input 1, 10000 x 3", signs("exact-left", 1, 30000, 10000, 3, 4096), f32)
show("exact-right f32 input 0, 2 x 10000", signs("exact-right", 0, 20000, 10000, 1, 4096), f32)
show("exact-left f16 input 1, 10 x 3", signs("exact-left", 1, 30, 10, 3, 4), f16)
show("exact-left f16 input 0, 2 x 10", many_bits("exact-left", 0, 20, 9), f16)
