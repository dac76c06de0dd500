import { inspect } from 'node:util'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { explain } from '@sluice/calls/explain'
import { UsageError } from '@sluice/calls/usage-error'
import { ApiError } from '@sluice/client'

/** Error for a timeout of the command, although nothing failed. */
export class FollowTimeout extends Error {
  override readonly name = 'FollowTimeout'
}

/** Error for something that waits for approval although the command should not wait for it. */
export class ApprovalRequired extends Error {
  override readonly name = 'ApprovalRequired'
}

/** Exits with an unhandled error: one line or, when debugging, all details. */
export function exitWithError(error: unknown): never {
  const isDebugging = process.env.SLUICE_LOG_LEVEL === 'debug' || process.argv.includes('debug')
  process.stderr.write(`sluice: ${isDebugging ? inspect(error) : removeControlCharacters(sentenceFor(error))}\n`)
  process.exit(codeOf(error))
}

function codeOf(error: unknown): number {
  if (error instanceof UsageError) return 2
  if (error instanceof FollowTimeout) return 3
  return error instanceof ApprovalRequired ? 4 : 1
}

function sentenceFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ApiError) return explain(error.error)
  const { code, port, address } = error as Error & { code?: string; port?: number; address?: string }
  if (code === 'EADDRINUSE' && port !== undefined) {
    return `Port ${port} of ${address} is in use by another program. Choose another one with PORT or --port.`
  }
  if (code === 'EADDRNOTAVAIL' && address !== undefined) {
    return `${address} is not an address of this machine. Set HOST or --host to one of its addresses, or to 0.0.0.0 for all of them.`
  }
  if (code === 'EACCES' && port !== undefined) {
    return `Port ${port} is for privileged programs. Choose one from 1024 on with PORT or --port.`
  }
  return error.message
}
