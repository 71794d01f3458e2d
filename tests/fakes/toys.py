"""Small programs whose faults have outcomes that are known beforehand."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_ASSEMBLY = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* `dead` writes a register that nobody reads; `live` writes its result, and every bit of that is printed. */
__asm__(".text\n.globl dead\n.type dead,@function\ndead:\n movabs $7,%r11\n ret\n.size dead,.-dead\n"
        ".globl live\n.type live,@function\nlive:\n mov %rdi,%rax\n ret\n.size live,.-live\n");
extern void dead(void);
extern uint64_t live(uint64_t);
"""

TOYS = {
    "shares": 'int main(){dead();uint64_t x=live(42);printf("%llx\\n",(unsigned long long)x);return 0;}',
    "hang": 'int main(){uint64_t x=live(0);while(x)__asm__ volatile("pause"::"r"(x));puts("end");return 0;}',
    "detects": "int main(){uint64_t a=live(5),b=live(5);if(a!=b)_exit(86);"
    'printf("%llu\\n",(unsigned long long)a);return 0;}',
    "recovers": 'uint64_t __loadstone_corrected;const char __loadstone_hardened[]="tmr";'
    "int main(){uint64_t a=live(5),b=live(5),c=live(5);if(a!=b||b!=c){__loadstone_corrected++;a=a==b?a:c;}"
    'printf("%llu%.0s\\n",(unsigned long long)a,__loadstone_hardened);return 0;}',
    "endless": "int main(){for(;;);}",
    "unsteady": 'int main(){printf("%d\\n",getpid());return 0;}',
    "parent": 'int main(){if(!fork())_exit(0);puts("x");return 0;}',
    "stops": "int main(){_exit(86);}",
    "loop": "int main(){uint64_t s=0;for(uint64_t i=0;i<200;i++)s=s*31+live(i);"
    'printf("%llx\\n",(unsigned long long)s);return 0;}',
}

SERVER = r"""
#include <arpa/inet.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
/* Answers GET /NUMBER by a sum that takes the number many times. One connection at a time ends the others.
   FILLS: each connection's first two requests execute `dead` besides, and later ones do not.
   TICKS: each connection executes `dead` twenty times a second while it waits. */
static uint64_t work(uint64_t n){uint64_t s=n;
#ifdef FILLS
  static int asked;if(asked++<2)for(int i=0;i<300;i++)dead();
#endif
  for(int i=0;i<300;i++)s=s*6364136223846793005ull+live(n);
  return s;}
int main(int c,char**v){
  int s=socket(AF_INET,SOCK_STREAM,0),one=1;setsockopt(s,SOL_SOCKET,SO_REUSEADDR,&one,sizeof one);
  struct sockaddr_in a={.sin_family=AF_INET,.sin_port=htons(atoi(v[1])),.sin_addr={htonl(INADDR_LOOPBACK)}};
  if(c!=2||bind(s,(void*)&a,sizeof a)||listen(s,9))return 1;
  for(;;){int k=accept(s,0,0);if(fork()){close(k);continue;}
    for(;;){char q[4096],b[64],r[256];
#ifdef TICKS
      struct pollfd p={k,POLLIN,0};while(!poll(&p,1,50))dead();
#endif
      ssize_t n=read(k,q,sizeof q-1);if(n<=0)_exit(0);q[n]=0;
      int l=sprintf(b,"%llx\n",(unsigned long long)work(strtoull(q+5,0,10)));
      n=sprintf(r,"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s",l,b);
      if(write(k,r,n)!=n)_exit(0);}}}
"""


def compiled(folder: Path, name: str, *flags: str) -> Path:
    """The toy as a program. Skips the test where no compiler is."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    source, program = folder / f"{name}.c", folder / name
    source.write_text(_ASSEMBLY + (SERVER if name == "server" else TOYS[name]))
    subprocess.run(["cc", "-O1", "-w", str(source), "-o", str(program), *flags], check=True)
    return program
