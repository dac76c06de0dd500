import { join } from 'node:path'
import type { Start } from './tenant.ts'
import type { HostileWorld } from './world.ts'

/**
 * What a script says when it was able to do what it must not. In brackets: no random name of a folder, which refusals
 * show, holds those. Scripts have it in two pieces: one that shows its own command line has not won.
 */
export const victory = '<WON>'

/** What tenant B tries to get at, going on after each refusal; all that its scripts show is searched for secrets. */
export type Attack = Start & {
  script: string
  /** It is about what only a network of their own keeps from programs. */
  isAboutNetwork?: true
}

/** Runs a command and calls it a victory when it succeeds. */
export const wins = (command: string): string =>
  `if { ${command}; }; then echo "<WO""N> ${command.replaceAll(/["$`\\]/g, '')}"; fi`

/** Calls each of these; a connection alone is a victory, whatever is answered: curl ends with 7 where there is none. */
export const connects = (addresses: readonly string[]): string =>
  `for a in ${addresses.join(' ')}; do curl -sk -o /dev/null -m 5 "http://$a/"; s=$?; [ $s = 7 ] || echo "<WO""N> connected to $a ($s)"; done`

export function reachAttacks(
  world: HostileWorld,
  ownAddresses: readonly string[],
  abstractName: string,
): Record<string, Attack> {
  const { installation, neighbour, pluginCache } = world
  const { dataDir, innerPorts, sockets, pid } = installation
  const key = join(dataDir, 'encryption-key')
  return {
    'reads the key of what is encrypted, and all of the data directory': {
      script: [
        wins(`cat ${key}`),
        wins(`ls -A ${dataDir}/database`),
        `find / -name encryption-key -exec cat {} +`,
      ].join('\n'),
    },
    'reads the environment of the service, and of whatever it finds': {
      script: [wins(`cat /proc/${pid}/environ`), 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"'].join(
        '\n',
      ),
    },
    'reads the token of the runner from its parent': {
      script: 'cat /proc/$PPID/environ /proc/1/environ /proc/self/environ | tr "\\0" "\\n"',
    },
    'looks into the roots, folders and open files of other processes': {
      script: [
        `for p in /proc/[0-9]*; do cat $p/root${key} $p/cwd/secret.txt $p/fd/9; ls $p/fd $p/map_files; done`,
        wins(`ls /proc/${pid}`),
        wins(`ls /proc/${neighbour.pid}`),
      ].join('\n'),
    },
    'reads and writes the work of tenant A': {
      script: [wins(`cat ${neighbour.work}/secret.txt`), wins(`echo evil >${neighbour.work}/secret.txt`)].join('\n'),
    },
    'reads what is written down about its own program': {
      script: [wins('cat ../records/options'), wins('ls ../records')].join('\n'),
    },
    'follows links out of its checkout': {
      prepare: async (work) => {
        const { symlink } = await import('node:fs/promises')
        await symlink(key, join(work, 'key'))
        await symlink('/', join(work, 'root'))
        await symlink(neighbour.work, join(work, 'other'))
      },
      script: [
        wins('cat key'),
        wins(`cat root${key}`),
        wins('cat other/secret.txt'),
        wins('echo evil >other/secret.txt'),
      ].join('\n'),
    },
    'calls the engine and whatever else the service listens on': {
      isAboutNetwork: true,
      script: connects(
        ['127.0.0.1', '[::1]', '198.18.73.2', '198.18.73.3', ...ownAddresses].flatMap((address) =>
          innerPorts.map((port) => `${address}:${port}`),
        ),
      ),
    },
    'calls addresses where clouds keep the credentials of machines': {
      isAboutNetwork: true,
      script: connects(['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16']),
    },
    'opens the sockets of the engine': {
      script: sockets
        .map((socket) => wins(`curl -s -o /dev/null -m 5 --unix-socket ${socket} http://engine/`))
        .join('\n'),
    },
    'looks for sockets of the engine, the database and the bus of the system': {
      script: 'for s in $(find / -type s); do echo "<WO""N> $s"; done',
    },
    'connects to a socket without a file': {
      isAboutNetwork: true,
      script: `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); connect(S, pack_sockaddr_un("\\0${abstractName}")) and print "<WO"."N> connected\\n"'`,
    },
    'writes into the plug-in cache': {
      readOnly: [pluginCache],
      script: [
        wins(`echo evil >>${pluginCache}/provider`),
        wins(`echo evil >${pluginCache}/another`),
        wins(`rm -f ${pluginCache}/provider`),
        wins(`mv ${pluginCache} ${pluginCache}-mine`),
        wins(`mount -o remount,rw,bind ${pluginCache}`),
      ].join('\n'),
    },
    'writes to the system': {
      script: [
        '/usr/bin/x',
        '/etc/passwd',
        '/x',
        '/dev/x',
        '/bin/x',
        '/proc/sys/kernel/core_pattern',
        '/proc/sysrq-trigger',
      ]
        .map((path) => wins(`echo evil >>${path}`))
        .join('\n'),
    },
    'signals the service, tenant A and everybody': {
      script: [
        wins(`kill -9 ${pid}`),
        wins(`kill -9 ${neighbour.pid}`),
        wins(`kill -9 -${neighbour.pid}`),
        'grep -q bwrap /proc/1/cmdline && kill -9 -1',
      ].join('\n'),
    },
    'traces other processes and writes to their memory': {
      script: [
        'for p in $(ls /proc | grep -E "^[0-9]+$"); do [ "$p" -le 60 ] || echo "<WO""N> sees process $p"; done',
        wins(`perl -e 'open(M,"+<","/proc/${pid}/mem") or exit 1'`),
        wins(`perl -e 'exit(kill(0,${pid}) ? 0 : 1)'`),
      ].join('\n'),
    },
    'becomes root by programs that are for root': {
      script: [
        wins('cp /bin/sh ./sh && chmod u+s ./sh && ./sh -c "[ $(id -u) = 0 ]"'),
        wins('su -c true </dev/null'),
        wins('grep -q "^CapEff:.*[1-9a-f]" /proc/self/status'),
        wins('grep -q "^CapBnd:.*[1-9a-f]" /proc/self/status'),
        wins('! grep -q "^NoNewPrivs:.1" /proc/self/status'),
        wins('cat /etc/shadow'),
      ].join('\n'),
    },
    'makes devices and reads the disk below': {
      script: [
        wins('mknod ./disk b 254 0'),
        wins('mknod ./mem c 1 1'),
        wins('ls /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg /dev/net/tun 2>/dev/null | grep -q .'),
      ].join('\n'),
    },
    'mounts, and makes namespaces in which it may': {
      script: [
        wins('mount -t tmpfs none /tmp'),
        wins('mount --bind / /tmp'),
        wins('umount /proc'),
        wins('mount -o remount,rw /usr'),
        wins('unshare --user --map-root-user true'),
        wins('unshare --mount true'),
        wins('unshare --net true'),
        wins('chroot / true'),
        wins('nsenter --target 1 --mount true'),
      ].join('\n'),
    },
    'leaves its core behind for others': {
      script: [
        wins('ulimit -c unlimited'),
        '(ulimit -c; kill -SEGV $(sh -c "echo \\$PPID"))',
        wins('ls core* | grep -q .'),
      ].join('\n'),
    },
    'raises its limits': {
      script: ['-p 100000', '-n 1000000', '-f unlimited', '-d unlimited']
        .map((limit) => wins(`ulimit ${limit}`))
        .join('\n'),
    },
    'calls the API as somebody': {
      script: `for p in /module-instances /auth/whoami; do curl -s -o /dev/null -w '%{http_code}\\n' -m 20 "$API$p" | grep -qx 401 || echo "<WO""N> $p"; done`,
      env: { API: world.isolation.addressOf(installation.url) },
    },
  }
}
