"""A model of machines with spares in the PRISM language; how many spares is open."""

POOL = """\
// Ten machines and a shelf of spares.
ctmc
const int spares;
const double crash = 1 / (365 * 86400);
formula broken = 10 + spares - up - shelf;
module service
  up : [0..10] init 10;
  shelf : [0..spares] init spares;
  [] up > 0 -> up * crash : (up' = up - 1);
  [] up < 10 & shelf > 0 -> (10 - up) / 15 : (up' = up + 1) & (shelf' = shelf - 1);
  [] shelf < spares & broken > 0 -> broken / 3600 : (shelf' = shelf + 1);
endmodule
label "short" = up < 10;
rewards "down" up < 10 : 1; endrewards
"""
