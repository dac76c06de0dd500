import { closeSync, readdirSync, readFileSync } from 'node:fs'

/** `O_CLOEXEC` of asm-generic/fcntl.h in octal, as in `fdinfo`. */
const closedOnExec = 0o2000000

/**
 * Closes the file descriptors that this process inherited, except standard input, output and error. Programs would
 * inherit them too. Files that Node opens itself are closed on exec.
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
    return false // the descriptor of the directory listing
  }
}
