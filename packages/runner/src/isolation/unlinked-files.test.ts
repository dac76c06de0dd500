import { expect, test } from 'vitest'
import { parseUnlinkedMappings } from './unlinked-files.ts'

test('only mappings of removed files count', () => {
  const maps = `7f0000000000-7f0000003000 r--p 00002000 fe:01 4711                       /data/a b (deleted)
7f0000100000-7f0000101000 rw-s 00000000 00:01 12                         /dev/zero (deleted)
7f0000200000-7f0000201000 rw-s 00000000 00:01 13                         /memfd:x (deleted)
7f0000300000-7f0000301000 rw-s 00000000 00:01 14                         /SYSV00000000 (deleted)
7f0000400000-7f0000401000 r-xp 00000000 fe:01 4712                       /usr/bin/perl
7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]
`
  expect(parseUnlinkedMappings(maps)).toEqual([{ inode: '4711', end: 0x5000 }])
})
