// What C++ and C do beside arithmetic: exceptions with destructors, variable arguments, setjmp, tail calls, structures by
// value, vectors, wide integers, assembly, atomics, threads. All variants say what the native program says.
// RUN: %cxx --mode off -O2 -pthread %s -o %t && %t > %t.expected
// RUN: %cxx --mode ilr -O2 -g -pthread %s -o %t 2> %t.said && %t | diff %t.expected -
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: %cxx --mode ilr --loads dup -O0 -pthread %s -o %t && %t | diff %t.expected -
// RUN: %cxx --mode ilr --loads move -O3 -flto -pthread %s -o %t && %t | diff %t.expected -
// RUN: %cxx --mode tmr -O2 -pthread %s -o %t && %t | diff %t.expected -
// RUN: %cxx --mode tmr -O1 -Werror -Wno-psabi -pthread %s -o %t && %t | diff %t.expected -
// SAID-DAG: is not hardened: it has a call that may return twice: `_setjmp`
// SAID-DAG: not hardened: inline assembly runs once; only its operands are checked
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
#include <map>
#include <cstdarg>
#include <atomic>
#include <thread>
#include <csetjmp>
#include <algorithm>
struct Tracer { std::string n; ~Tracer(){ std::printf("~%s\n", n.c_str()); } };
static int depth(int n){ Tracer t{"d"+std::to_string(n)}; if(n==0) throw std::runtime_error("bottom"); return depth(n-1)+1; }
static int sum(int n, ...){ va_list l; va_start(l,n); int s=0; for(int i=0;i<n;i++) s+= i%2? (int)va_arg(l,double): va_arg(l,int); va_end(l); return s; }
static jmp_buf jb; static int jumped(int x){ if(setjmp(jb)) return x+1; longjmp(jb,1); }
__attribute__((noinline)) static long tail(long n,long a){ if(n==0) return a; return tail(n-1,a+n); }
struct Big { long a[10]; }; __attribute__((noinline)) static Big big(Big b, float f, long double ld){ b.a[3]+= (long)f + (long)ld; return b; }
typedef float v4 __attribute__((vector_size(16)));typedef int v8 __attribute__((vector_size(32)));
__attribute__((noinline)) static v4 vec(v4 a, v4 b){ return a*b+a; }
__attribute__((noinline)) static v8 vec8(v8 a, v8 b){ return (a>b)?a:b; }
__attribute__((noinline)) static __int128 wide(__int128 a){ return a*a+7; }
static unsigned asmtest(unsigned x){ unsigned y; __asm__ volatile("bswap %0":"=r"(y):"0"(x)); return y; }
int main(){
  try { depth(3); } catch (const std::exception&e){ std::printf("caught %s\n", e.what()); }
  std::map<std::string,int> m; for(int i=0;i<100;i++) m["k"+std::to_string(i*7%13)]+=i;
  for(auto&[k,v]:m) std::printf("%s=%d ",k.c_str(),v); std::puts("");
  std::printf("%d %d %ld\n", sum(4,1,2.5,3,4.5), jumped(4), tail(5000,0));
  Big b{}; b=big(b,2.5f,3.75L); std::printf("%ld\n", b.a[3]);
  v4 r=vec((v4){1,2,3,4},(v4){5,6,7,8}); std::printf("%g %g\n",r[0],r[3]); v8 q=vec8((v8){1,9,3,4,5,6,7,8},(v8){8,7,6,5,4,3,2,1}); std::printf("%d %d\n",q[0],q[1]);
  std::printf("%ld %x\n",(long)wide(12345678901234LL>>3), asmtest(0x12345678));
  std::atomic<long> c{0}; std::vector<std::thread> ts; for(int t=0;t<4;t++) ts.emplace_back([&]{ for(int i=0;i<100000;i++) c.fetch_add(i&3); long e=0; while(!c.compare_exchange_weak(e,e+1)); }); for(auto&t:ts) t.join();
  std::printf("%ld\n",c.load());
  std::vector<double> d; for(int i=0;i<1000;i++) d.push_back((i*7919)%1009/3.0); std::sort(d.begin(),d.end()); double s=0; for(double x:d) s=s*0.5+x; std::printf("%.17g\n",s);
  try { std::vector<int>().at(3); } catch(std::out_of_range&){ std::puts("range"); }
}
