module m (input [99999999999999999999:0] a, output y);
assign y = a[0];
endmodule
