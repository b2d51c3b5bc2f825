// Every kind of item that is not read; each is named, and what follows it is read.
`define WIDTH 4
`timescale 1ns / 1ps
module top #(parameter N = 4) (input clk, input rst, input [3:0] a, output y, inout pad);
  parameter M = 3;
  localparam L = 2;
  integer i;
  wand w;
  reg [7:0] memory [0:15];
  wire q, z, s;
  reg r;
  function f;
    input x;
    f = ~x;
  endfunction
  task t;
    begin
      r = 1;
    end
  endtask
  generate
    genvar g;
    for (g = 0; g < 4; g = g + 1) begin : loop
      assign y = a[g];
    end
  endgenerate
  specify
    (a => y) = 1;
  endspecify
  bufif1 tri_state (y, a[0], clk);
  nmos transistor (y, a[0], clk);
  pullup (y);
  always @* begin
    if (a[0]) r = 1;
    else begin
      r = 0;
    end
  end
  always @(a or rst)
    r = a[0];
  always_comb r = a[1];
  always_latch if (clk) r <= a[0];
  always @(posedge clk or negedge rst)
    if (!rst) r <= 0;
    else r <= a[0];
  always @(posedge clk) begin
    r = a[0];
    case (a)
      0: r <= 1;
      default: r <= 0;
    endcase
    for (i = 0; i < 4; i = i + 1) r <= a[i];
    $display("%d", a);
    memory[a] <= 8'h0;
  end
  initial $readmemh("words.hex", memory);
  initial begin
    r = 0;
    $display("x");
    r = a[0];
  end
  defparam u.WIDTH = 3;
  and #1 slow (y, a[0], a[1]);
  and several[3:0] (y, a[0], a[1]);
  assign #2 q = a[0];
  assign z = q;
endmodule
primitive udp (y, a);
  output y;
  input a;
  table
    0 : 1;
    1 : 0;
  endtable
endprimitive
