import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { createBubblewrapOptions, createSwitchUserPrefix, type SystemPaths } from './bubblewrap.ts'

const system: SystemPaths = {
  bwrap: '/usr/bin/bwrap',
  folders: ['/usr', '/lib'],
  links: { '/bin': 'usr/bin' },
  etc: '/data/runner/etc',
  etcMounts: ['/etc/ssl'],
  toolFolders: ['/opt/tools'],
}
const program = {
  cwd: '/data/runner/a-1/source',
  env: { PATH: '/usr/bin', LD_PRELOAD: './evil.so' },
  writable: ['/data/runner/a-1/source'],
  temporary: '/data/runner/a-1/tmp',
  readOnly: ['/data/plugins/org', '/data/runner/a-1/source/given.tfvars'],
}
const options = createBubblewrapOptions(system, program)
/** Returns the index of consecutive words in the options. */
const placeOf = (...words: string[]) => options.findIndex((_, at) => words.every((word, i) => options[at + i] === word))

describe('the options of a sandbox', () => {
  test(
    'contain every required option',
    everyCase(
      [
        [['--unshare-user']],
        [['--disable-userns']],
        [['--unshare-pid']],
        [['--unshare-ipc']],
        [['--unshare-uts']],
        [['--unshare-cgroup-try']],
        [['--die-with-parent']],
        [['--cap-drop', 'ALL']],
        [['--uid', '1000', '--gid', '1000']],
        [['--ro-bind', '/usr', '/usr']],
        [['--ro-bind', '/lib', '/lib']],
        [['--symlink', 'usr/bin', '/bin']],
        [['--ro-bind', '/data/runner/etc', '/etc', '--ro-bind-try', '/etc/ssl', '/etc/ssl']],
        [['--proc', '/proc']],
        [['--dev', '/dev']],
        [['--size', '67108864', '--tmpfs', '/dev/shm', '--remount-ro', '/dev']],
        [['--bind', '/data/runner/a-1/tmp', '/tmp']],
        [['--ro-bind-try', '/opt/tools', '/opt/tools']],
        [['--bind', '/data/runner/a-1/source', '/data/runner/a-1/source']],
        [['--ro-bind', '/data/plugins/org', '/data/plugins/org']],
        [['--chdir', '/data/runner/a-1/source']],
        [['--clearenv', '--setenv', 'PATH', '/usr/bin', '--setenv', 'LD_PRELOAD', './evil.so']],
      ],
      (words) => {
        expect(placeOf(...words)).toBeGreaterThanOrEqual(0)
      },
    ),
  )

  test('make only the writable folders writable', () => {
    const binds = options.flatMap((word, at) => (/^--(dev-)?bind/.test(word) ? [options[at + 2]] : []))
    expect(binds).toEqual(['/tmp', '/data/runner/a-1/source'])
  })

  test('bind neither the root, nor homes, nor all of /etc, /run, /sys or /var', () => {
    const sources = options.flatMap((word, at) => (/bind/.test(word) ? [options[at + 1]] : []))
    for (const path of ['/', '/root', '/home', '/etc', '/run', '/sys', '/var', '/data', '/etc/shadow']) {
      expect(sources).not.toContain(path)
    }
  })

  test('mount read-only paths over writable ones and make the root read-only last', () => {
    const readOnly = placeOf('--ro-bind', '/data/runner/a-1/source/given.tfvars')
    expect(readOnly).toBeGreaterThan(placeOf('--bind', '/data/runner/a-1/source'))
    expect(placeOf('--remount-ro', '/')).toBeGreaterThan(readOnly)
  })
})

test('a program that is root enters a nested user namespace with few capabilities', () => {
  const ofRoot = createBubblewrapOptions(system, { ...program, isRootInSandbox: true })
  expect(ofRoot.join(' ')).toContain('--userns2 8')
  for (const word of ['--unshare-user', '--userns', '--uid']) expect(ofRoot).not.toContain(word)
  const rights = ofRoot.filter((_, at) => ofRoot[at - 1] === '--cap-add')
  expect(rights).toContain('CAP_SYS_ADMIN')
  for (const right of ['NET_ADMIN', 'NET_RAW', 'SYS_RESOURCE', 'SYS_PTRACE', 'SYS_MODULE', 'DAC_READ_SEARCH']) {
    expect(rights).not.toContain(`CAP_${right}`)
  }
  const sources = ofRoot.flatMap((word, at) => (/^--(dev-)?bind/.test(word) ? [ofRoot[at + 1]] : []))
  expect(sources, 'the writable paths do not change').toEqual([program.temporary, ...program.writable])
})

test('a runner that is root hides folders of root and switches to another user', () => {
  const passage = { hidden: ['/data'], writable: ['/data/runner/a-1/tmp'], readOnly: ['/data/plugins'] }
  expect(createSwitchUserPrefix('/usr/bin/bwrap', passage, 65534)).toEqual(
    [
      ['/usr/bin/bwrap', '--die-with-parent', '--dev-bind', '/', '/', '--tmpfs', '/data'],
      ['--perms', '0755', '--dir', '/data/runner', '--perms', '0755', '--dir', '/data/runner/a-1'],
      ['--bind', '/data/runner/a-1/tmp', '/data/runner/a-1/tmp', '--ro-bind', '/data/plugins', '/data/plugins'],
      ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'],
      ['--', 'setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
      ['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'],
    ].flat(),
  )
})
