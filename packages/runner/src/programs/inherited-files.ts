import { closeSync, readdirSync, readFileSync } from 'node:fs'

/** `O_CLOEXEC` of asm-generic/fcntl.h, as `fdinfo` shows the flags: in octal. */
const closedOnExec = 0o2000000

/**
 * Closes the files that this process was started with beside its input, its output and its errors: programs would
 * inherit them. All that Node opens by itself is closed where another program begins.
 */
export function closeInheritedFiles(): void {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc/self/fd')) {
    const file = Number(name)
    if (file > 2 && isInherited(file)) closeSync(file)
  }
}

function isInherited(file: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & closedOnExec) === 0
  } catch {
    return false // the one that the list was read by
  }
}
