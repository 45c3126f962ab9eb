# `subfloor reduce --test`: fails, as the command that it stands for, while the program holds a cosine.
! grep -q cosine "$1"
