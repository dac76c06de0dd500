import { inspect } from 'node:util'

/** Ends the process with an error that nothing handled: one clear line, and all we know when debugging. */
export function endWith(error: unknown): never {
  const isDebugging = process.env.SLUICE_LOG_LEVEL === 'debug' || process.argv.includes('debug')
  process.stderr.write(`sluice: ${isDebugging ? inspect(error) : sentenceFor(error)}\n`)
  process.exit(1)
}

function sentenceFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port, address } = error as Error & { code?: string; port?: number; address?: string }
  if (code === 'EADDRINUSE' && port !== undefined) {
    return `Port ${port} of ${address} is in use by another program. Choose another one with PORT or --port.`
  }
  return error.message
}
