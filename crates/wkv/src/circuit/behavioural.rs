//! The cell as behavioural Verilog-2001: operators instead of gates.
//!
//! Written from the formulas of the numerics, and from none of the circuits: every exponential,
//! product and quotient stands where the formula has it. So it is a second opinion on the
//! netlist, and what one would write by hand for a simulator or a synthesis tool.

use crate::fixed::exp2_table;
use crate::spec::{Division, WkvSpec};

/// The name of the module that [`verilog`] writes.
pub const MODULE: &str = "wkv_cell_behavioural";

/// The cell of `spec` as the source text of one module, [`MODULE`], with the ports of the netlist:
/// `clk`, `k`, `v`, `u`, `w` \[16\] -> `out` \[16\], raw numbers in two's complement. `out` follows the
/// inputs; the state advances at the rising edge of `clk`, from that before the first token.
///
/// Constant in a stream: `u`, and `w`, which is not positive. A divisor of 0 never comes up from
/// there, and is left to Verilog.
///
/// ```
/// let text = wkv::circuit::behavioural::verilog(&"classic:q8.8".parse()?);
/// assert!(text.contains("num = saturate(multiply(aa, e1) + multiply(v, e2));"));
/// # Ok::<(), wkv::spec::SpecError>(())
/// ```
pub fn verilog(spec: &WkvSpec) -> String {
    let fraction_bits = spec.format.fraction_bits();
    let entries = exp2_table(spec);
    let last = entries.len() - 1;
    let one = spec.format.one();
    let guard = if spec.guard { " + 1" } else { "" };
    let (exp2neg, divide) = (exp2neg(spec), divide(spec.division));
    let table: String = (0..)
        .zip(&entries)
        .map(|(i, entry)| format!("        exponentials[{i}] = {entry};\n"))
        .collect();
    format!(
        "\
// One channel of the attention of RWKV-v4, one token a clock: {spec}.
// Raw numbers have FRACTION_BITS bits after the point: {one} stands for 1.
module {MODULE} (
    input wire clk,
    input wire signed [15:0] k,
    input wire signed [15:0] v,
    input wire signed [15:0] u,
    input wire signed [15:0] w,
    output wire signed [15:0] out
);
    localparam FRACTION_BITS = {fraction_bits};

    reg signed [15:0] aa = 0;
    reg signed [15:0] bb = 0;
    reg signed [15:0] pp = -32768;

    // 65536 * 2^(-i / {last}), rounded.
    reg [16:0] exponentials [0:{last}];
    initial begin
{table}    end

    // The nearest number of 16 bits.
    function signed [15:0] saturate(input signed [31:0] x);
        saturate = x > 32767 ? 16'sd32767 : x < -32768 ? -16'sd32768 : x[15:0];
    endfunction

    function signed [15:0] maximum(input signed [15:0] a, input signed [15:0] b);
        maximum = a > b ? a : b;
    endfunction

    // 65536 * 2^-x.
{exp2neg}
    // a * e / 65536, rounded down.
    function signed [31:0] multiply(input signed [15:0] a, input [16:0] e);
        reg signed [33:0] product;
        begin
            product = a * $signed({{1'b0, e}});
            multiply = product >>> 16;
        end
    endfunction

    // An exponential as a raw number.
    function signed [31:0] weight(input [16:0] e);
        weight = $signed({{15'b0, e >> 16 - FRACTION_BITS}});
    endfunction

{divide}
    // The output.
    reg signed [15:0] ww, p, num;
    reg [16:0] e1, e2;
    reg [15:0] den;
    always @* begin
        ww = saturate(u + k);
        p = maximum(pp, ww);
        e1 = exp2neg(p - pp);
        e2 = exp2neg(p - ww);
        num = saturate(multiply(aa, e1) + multiply(v, e2));
        den = saturate(multiply(bb, e1) + weight(e2)){guard};
    end
    assign out = saturate(divide(num, den));

    // The next state.
    reg signed [15:0] ww2, p2;
    reg [16:0] f1, f2;
    always @* begin
        ww2 = saturate(pp + w);
        p2 = maximum(ww2, k);
        f1 = exp2neg(p2 - ww2);
        f2 = exp2neg(p2 - k);
    end
    always @(posedge clk) begin
        aa <= saturate(multiply(aa, f1) + multiply(v, f2));
        bb <= saturate(multiply(bb, f1) + weight(f2));
        pp <= p2;
    end
endmodule
"
    )
}

/// The function `exp2neg`: `x`: \[16\], unsigned -> Q0.16 \[17\].
fn exp2neg(spec: &WkvSpec) -> String {
    let fraction_bits = spec.format.fraction_bits();
    let index_bits = spec.exp2.entries().ilog2();
    let low_bits = fraction_bits.saturating_sub(index_bits);
    let padding = index_bits.saturating_sub(fraction_bits);
    let high = fraction_bits - 1;
    let index = match padding {
        0 => format!("x[{high}:{low_bits}]"),
        _ => format!("{{x[{high}:0], {padding}'b0}}"),
    };
    let fall = if spec.exp2.interpolate && low_bits > 0 {
        let low = low_bits - 1;
        format!(
            "
            fall = exponentials[index] - exponentials[index + 1];
            y = y - ((fall * x[{low}:0]) >> {low_bits});"
        )
    } else {
        String::new()
    };
    let declaration = if fall.is_empty() { "" } else { "\n        reg [31:0] fall;" };
    format!(
        "    function [16:0] exp2neg(input [15:0] x);
        reg [8:0] index;
        reg [31:0] y;{declaration}
        begin
            index = {index};
            y = exponentials[index];{fall}
            exp2neg = x >> FRACTION_BITS >= 16 ? 0 : y >> (x >> FRACTION_BITS);
        end
    endfunction
"
    )
}

/// The function `divide`: `n`: \[16\], `d`: \[16\], unsigned and not 0 -> quotient \[32\].
fn divide(division: Division) -> &'static str {
    match division {
        Division::Restoring | Division::Newton => {
            "    // n / d in the format, rounded toward zero.
    function signed [31:0] divide(input signed [15:0] n, input [15:0] d);
        reg signed [31:0] scaled, divisor;
        begin
            scaled = n;
            divisor = $signed({16'b0, d});
            divide = (scaled <<< FRACTION_BITS) / divisor;
        end
    endfunction
"
        }
        Division::Exact => {
            "    // n / d in the format, rounded to nearest, halves upward: (2 n + d) / (2 d), rounded down.
    function signed [31:0] divide(input signed [15:0] n, input [15:0] d);
        reg signed [31:0] scaled, divisor, quotient;
        begin
            divisor = $signed({15'b0, d, 1'b0});
            scaled = n;
            scaled = (scaled <<< FRACTION_BITS + 1) + (divisor >>> 1);
            quotient = scaled / divisor;
            divide = scaled < 0 && quotient * divisor != scaled ? quotient - 1 : quotient;
        end
    endfunction
"
        }
    }
}
