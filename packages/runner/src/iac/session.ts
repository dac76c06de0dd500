import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Credentials of a session in a cloud account. */
export type Session = { accessKeyId: string; secretAccessKey: string; sessionToken: string; expiration: Date }

export type SessionParts = {
  /** Folder for files that the program can read. Its parent folders must keep other users out. */
  directory: string
  open: () => Promise<Session>
  /** Aborted when the session is no longer needed. */
  finished: AbortSignal
  onError: (error: unknown) => void
  /** How long before its expiration a session is replaced. Longer than the SDKs' own margin of some minutes. */
  renewBeforeMs?: number
  /** Delay before a failed renewal is retried. */
  retryDelayMs?: number
}

/**
 * Renews a session in a cloud account while a program runs, because a session lasts an hour at most. The program's SDK
 * runs the `credential_process` of its shared configuration, which prints the current session from a file. A file also
 * works while the runner restarts, unlike a local server.
 * @returns the variables that point the program to the configuration
 */
export async function maintainSession(parts: SessionParts): Promise<Record<string, string>> {
  const { directory, open } = parts
  await mkdir(directory, { recursive: true, mode: 0o755 })
  const file = join(directory, 'session.json')
  const first = await open()
  await writeSession(file, first)
  const config = join(directory, 'config')
  await writeFile(config, `[default]\ncredential_process = cat ${shellQuote(file)}\n`, { mode: 0o644 })
  void renew(parts, file, first.expiration)
  return { AWS_CONFIG_FILE: config }
}

async function renew(parts: SessionParts, file: string, expiration: Date): Promise<void> {
  const { open, finished, onError, renewBeforeMs = 15 * 60_000, retryDelayMs = 30_000 } = parts
  let waitMs = expiration.getTime() - Date.now() - renewBeforeMs
  while (await waitFor(Math.max(waitMs, retryDelayMs), finished)) {
    try {
      const next = await open()
      await writeSession(file, next)
      waitMs = next.expiration.getTime() - Date.now() - renewBeforeMs
    } catch (error) {
      if (!finished.aborted) onError(error)
      waitMs = retryDelayMs
    }
  }
}

/** Waits; returns false if the session was no longer needed before. */
const waitFor = (ms: number, over: AbortSignal): Promise<boolean> =>
  sleep(ms, true, { signal: over }).catch(() => false)

/** Replaces the file atomically, so that readers never see a partial session. */
async function writeSession(
  file: string,
  { accessKeyId, secretAccessKey, sessionToken, expiration }: Session,
): Promise<void> {
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

/** Quotes a path for the shell that SDKs pass the command to. */
const shellQuote = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`
