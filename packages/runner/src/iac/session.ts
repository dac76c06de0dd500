import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Credentials of a session in a cloud account. */
export type Session = { accessKeyId: string; secretAccessKey: string; sessionToken: string; expiration: Date }

export type SessionParts = {
  /** For the session's files, which the program may read: whoever else must not is kept out by what it lies in. */
  directory: string
  begin: () => Promise<Session>
  /** Aborted when the session is needed no longer. */
  over: AbortSignal
  onTrouble: (error: unknown) => void
  /** So long before a session ends the next one is begun: the SDKs ask for it some minutes before. Milliseconds. */
  renewBeforeMs?: number
  /** Until it is tried again where that failed. Milliseconds. */
  againMs?: number
}

/**
 * Keeps a session in an account open while a program works, which may be longer than the hour that the cloud gives it.
 * What the program's SDK reads is its own shared configuration, whose `credential_process` prints the session of the
 * moment. A file, and not a port of ours: a program outlives our restarts.
 * @returns the variables that lead the program there
 */
export async function keepSession(parts: SessionParts): Promise<Record<string, string>> {
  const { directory, begin } = parts
  await mkdir(directory, { recursive: true, mode: 0o755 })
  const file = join(directory, 'session.json')
  const first = await begin()
  await write(file, first)
  const config = join(directory, 'config')
  await writeFile(config, `[default]\ncredential_process = cat ${quoted(file)}\n`, { mode: 0o644 })
  void renew(parts, file, first.expiration)
  return { AWS_CONFIG_FILE: config }
}

async function renew(parts: SessionParts, file: string, expiration: Date): Promise<void> {
  const { begin, over, onTrouble, renewBeforeMs = 15 * 60_000, againMs = 30_000 } = parts
  let waitMs = expiration.getTime() - Date.now() - renewBeforeMs
  while (await passed(Math.max(waitMs, againMs), over)) {
    try {
      const next = await begin()
      await write(file, next)
      waitMs = next.expiration.getTime() - Date.now() - renewBeforeMs
    } catch (error) {
      if (!over.aborted) onTrouble(error)
      waitMs = againMs
    }
  }
}

/** Whether the time passed before it was over. */
const passed = (ms: number, over: AbortSignal): Promise<boolean> => sleep(ms, true, { signal: over }).catch(() => false)

/** In one go: whoever reads it meanwhile reads the session before, whole. */
async function write(file: string, { accessKeyId, secretAccessKey, sessionToken, expiration }: Session): Promise<void> {
  const session = {
    Version: 1,
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: expiration.toISOString(),
  }
  await writeFile(`${file}.new`, JSON.stringify(session), { mode: 0o644 })
  await rename(`${file}.new`, file)
}

/** As one word for the shell that the SDKs hand the command to. */
const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`
