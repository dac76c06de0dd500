import { spawnSync } from 'node:child_process'

/** System program that stores secrets for the signed-in user. */
type Program = {
  name: string
  /** Arguments and input for storing a secret. The secret is in the input, because other users can read arguments. */
  keep(account: string, secret: string): { words: string[]; input: string }
  find(account: string): string[]
  forget(account: string): string[]
}

const service = 'sluice'

const programs: Partial<Record<NodeJS.Platform, Program>> = {
  // Part of libsecret: https://man.archlinux.org/man/secret-tool.1 (November 2026).
  linux: {
    name: 'secret-tool',
    keep: (account, secret) => ({
      words: ['store', '--label=Sluice', 'service', service, 'account', account],
      input: secret,
    }),
    find: (account) => ['lookup', 'service', service, 'account', account],
    forget: (account) => ['clear', 'service', service, 'account', account],
  },
  // With -i it reads commands from standard input, and with -X a secret in hexadecimal, which needs no quotes.
  darwin: {
    name: 'security',
    keep: (account, secret) => ({
      words: ['-i'],
      input: `add-generic-password -U -s ${service} -a ${account} -X ${Buffer.from(secret).toString('hex')}\n`,
    }),
    find: (account) => ['find-generic-password', '-s', service, '-a', account, '-w'],
    forget: (account) => ['delete-generic-password', '-s', service, '-a', account],
  },
}

/** Timeout in milliseconds, long enough for a permission prompt. */
const patience = 60_000

const programHere = (): Program | undefined =>
  process.env.SLUICE_KEY_STORE === 'off' ? undefined : programs[process.platform]

/** Returns a program's output, or undefined if it is missing or fails. */
function outputOf({ name }: Program, words: string[], input = ''): string | undefined {
  const { status, stdout } = spawnSync(name, words, {
    input,
    encoding: 'utf8',
    timeout: patience,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  return status === 0 ? stdout : undefined
}

/** Stores a secret. Returns the name of the key store, or undefined if the system has none that works. */
export function storeSecret(account: string, secret: string): string | undefined {
  const program = programHere()
  if (!program) return undefined
  const { words, input } = program.keep(account, secret)
  if (outputOf(program, words, input) === undefined) return undefined
  return findSecret(account) === secret ? program.name : undefined
}

export function findSecret(account: string): string | undefined {
  const program = programHere()
  return program && outputOf(program, program.find(account))?.trim()
}

export function deleteSecret(account: string): void {
  const program = programHere()
  if (program) outputOf(program, program.forget(account))
}
