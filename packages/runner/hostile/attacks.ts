import { join } from 'node:path'
import type { HostileEnvironment } from './environment.ts'
import type { ProgramOptions } from './tenant.ts'

/**
 * Printed by a script that did what it must not. The brackets keep random folder names in errors from matching. Scripts
 * contain it in two pieces, so that printing their own command line does not count.
 */
export const victory = '<WON>'

/** An attack of tenant B. It continues after each rejection, and everything that it prints is searched for secrets. */
export type Attack = ProgramOptions & {
  script: string
  /** Whether only a private network prevents it. */
  isAboutNetwork?: true
}

/** Runs a command and prints the victory text if it succeeds. */
export const printVictoryIf = (command: string): string =>
  `if { ${command}; }; then echo "<WO""N> ${command.replaceAll(/["$`\\]/g, '')}"; fi`

/** Connects to each address. A connection alone is a victory; curl exits with 7 if there is none. */
export const printVictoryIfConnected = (addresses: readonly string[]): string =>
  `for a in ${addresses.join(' ')}; do curl -sk -o /dev/null -m 5 "http://$a/"; s=$?; [ $s = 7 ] || echo "<WO""N> connected to $a ($s)"; done`

export function createReachAttacks(
  world: HostileEnvironment,
  ownAddresses: readonly string[],
  abstractName: string,
): Record<string, Attack> {
  const { installation, neighbour, pluginCache } = world
  const { dataDir, internalPorts, sockets, pid } = installation
  const key = join(dataDir, 'encryption-key')
  return {
    'reads the encryption key and the data directory': {
      script: [
        printVictoryIf(`cat ${key}`),
        printVictoryIf(`ls -A ${dataDir}/database`),
        `find / -name encryption-key -exec cat {} +`,
      ].join('\n'),
    },
    'reads the environment of the service and other processes': {
      script: [
        printVictoryIf(`cat /proc/${pid}/environ`),
        'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"',
      ].join('\n'),
    },
    'reads the token of the runner from its parent': {
      script: 'cat /proc/$PPID/environ /proc/1/environ /proc/self/environ | tr "\\0" "\\n"',
    },
    'reads the roots, folders and open files of other processes': {
      script: [
        `for p in /proc/[0-9]*; do cat $p/root${key} $p/cwd/secret.txt $p/fd/9; ls $p/fd $p/map_files; done`,
        printVictoryIf(`ls /proc/${pid}`),
        printVictoryIf(`ls /proc/${neighbour.pid}`),
      ].join('\n'),
    },
    'reads and writes files of tenant A': {
      script: [
        printVictoryIf(`cat ${neighbour.work}/secret.txt`),
        printVictoryIf(`echo evil >${neighbour.work}/secret.txt`),
      ].join('\n'),
    },
    'reads the records of its own program': {
      script: [printVictoryIf('cat ../records/options'), printVictoryIf('ls ../records')].join('\n'),
    },
    'follows links out of its checkout': {
      prepare: async (work) => {
        const { symlink } = await import('node:fs/promises')
        await symlink(key, join(work, 'key'))
        await symlink('/', join(work, 'root'))
        await symlink(neighbour.work, join(work, 'other'))
      },
      script: [
        printVictoryIf('cat key'),
        printVictoryIf(`cat root${key}`),
        printVictoryIf('cat other/secret.txt'),
        printVictoryIf('echo evil >other/secret.txt'),
      ].join('\n'),
    },
    'connects to the engine and other ports of the service': {
      isAboutNetwork: true,
      script: printVictoryIfConnected(
        ['127.0.0.1', '[::1]', '198.18.73.2', '198.18.73.3', ...ownAddresses].flatMap((address) =>
          internalPorts.map((port) => `${address}:${port}`),
        ),
      ),
    },
    'connects to metadata services of clouds': {
      isAboutNetwork: true,
      script: printVictoryIfConnected(['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16']),
    },
    'opens the sockets of the engine': {
      script: sockets
        .map((socket) => printVictoryIf(`curl -s -o /dev/null -m 5 --unix-socket ${socket} http://engine/`))
        .join('\n'),
    },
    'searches for sockets of the engine, the database and the system bus': {
      script: 'for s in $(find / -type s); do echo "<WO""N> $s"; done',
    },
    'connects to an abstract socket': {
      isAboutNetwork: true,
      script: `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); connect(S, pack_sockaddr_un("\\0${abstractName}")) and print "<WO"."N> connected\\n"'`,
    },
    'writes to the plugin cache': {
      readOnly: [pluginCache],
      script: [
        printVictoryIf(`echo evil >>${pluginCache}/provider`),
        printVictoryIf(`echo evil >${pluginCache}/another`),
        printVictoryIf(`rm -f ${pluginCache}/provider`),
        printVictoryIf(`mv ${pluginCache} ${pluginCache}-mine`),
        printVictoryIf(`mount -o remount,rw,bind ${pluginCache}`),
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
        .map((path) => printVictoryIf(`echo evil >>${path}`))
        .join('\n'),
    },
    'signals the service, tenant A and all processes': {
      script: [
        printVictoryIf(`kill -9 ${pid}`),
        printVictoryIf(`kill -9 ${neighbour.pid}`),
        printVictoryIf(`kill -9 -${neighbour.pid}`),
        'grep -q bwrap /proc/1/cmdline && kill -9 -1',
      ].join('\n'),
    },
    'traces other processes and writes to their memory': {
      script: [
        'for p in $(ls /proc | grep -E "^[0-9]+$"); do [ "$p" -le 60 ] || echo "<WO""N> sees process $p"; done',
        printVictoryIf(`perl -e 'open(M,"+<","/proc/${pid}/mem") or exit 1'`),
        printVictoryIf(`perl -e 'exit(kill(0,${pid}) ? 0 : 1)'`),
      ].join('\n'),
    },
    'becomes root with set-uid programs': {
      script: [
        printVictoryIf('cp /bin/sh ./sh && chmod u+s ./sh && ./sh -c "[ $(id -u) = 0 ]"'),
        printVictoryIf('su -c true </dev/null'),
        printVictoryIf('grep -q "^CapEff:.*[1-9a-f]" /proc/self/status'),
        printVictoryIf('grep -q "^CapBnd:.*[1-9a-f]" /proc/self/status'),
        printVictoryIf('! grep -q "^NoNewPrivs:.1" /proc/self/status'),
        printVictoryIf('cat /etc/shadow'),
      ].join('\n'),
    },
    'creates devices and reads the disk': {
      script: [
        printVictoryIf('mknod ./disk b 254 0'),
        printVictoryIf('mknod ./mem c 1 1'),
        printVictoryIf('ls /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg /dev/net/tun 2>/dev/null | grep -q .'),
      ].join('\n'),
    },
    'mounts file systems and creates namespaces': {
      script: [
        printVictoryIf('mount -t tmpfs none /tmp'),
        printVictoryIf('mount --bind / /tmp'),
        printVictoryIf('umount /proc'),
        printVictoryIf('mount -o remount,rw /usr'),
        printVictoryIf('unshare --user --map-root-user true'),
        printVictoryIf('unshare --mount true'),
        printVictoryIf('unshare --net true'),
        printVictoryIf('chroot / true'),
        printVictoryIf('nsenter --target 1 --mount true'),
      ].join('\n'),
    },
    'leaves a core dump': {
      script: [
        printVictoryIf('ulimit -c unlimited'),
        '(ulimit -c; kill -SEGV $(sh -c "echo \\$PPID"))',
        printVictoryIf('ls core* | grep -q .'),
      ].join('\n'),
    },
    'raises its limits': {
      script: ['-p 100000', '-n 1000000', '-f unlimited', '-d unlimited']
        .map((limit) => printVictoryIf(`ulimit ${limit}`))
        .join('\n'),
    },
    'calls the API without credentials': {
      script: `for p in /module-instances /auth/whoami; do curl -s -o /dev/null -w '%{http_code}\\n' -m 20 "$API$p" | grep -qx 401 || echo "<WO""N> $p"; done`,
      env: { API: world.isolation.rewriteUrl(installation.url) },
    },
  }
}
