/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The registers behind _CPC: one generic PCC subspace in RAM that the kernel's
 * command line reserves (memmap=), with no platform behind it. Its doorbell is its own
 * status field, and ringing it sets the bit "command complete" there. */
[0004]                          Signature : "PCCT"
[0004]                       Table Length : 00000000
[0001]                           Revision : 01
[0001]                           Checksum : 00
[0006]                             Oem ID : "RETUNE"
[0008]                       Oem Table ID : "PCCT"
[0004]                       Oem Revision : 00000001
[0004]                    Asl Compiler ID : "INTL"
[0004]              Asl Compiler Revision : 20200925

[0004]              Flags (decoded below) : 00000000
                                 Platform : 0
[0008]                           Reserved : 0000000000000000

[0001]                      Subtable Type : 00 [Generic Communications Subspace]
[0001]                             Length : 3E
[0006]                           Reserved : 000000000000
[0008]                       Base Address : 000000001E000000
[0008]                     Address Length : 0000000000001000
[0012]                  Doorbell Register : [Generic Address Structure]
[0001]                           Space ID : 00 [SystemMemory]
[0001]                          Bit Width : 10
[0001]                         Bit Offset : 00
[0001]               Encoded Access Width : 02 [Word Access:16]
[0008]                            Address : 000000001E000006
[0008]                      Preserve Mask : 000000000000FFFF
[0008]                         Write Mask : 0000000000000001
[0004]                    Command Latency : 000003E8
[0004]                Maximum Access Rate : 00000000
[0002]            Minimum Turnaround Time : 0000
