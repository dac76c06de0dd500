import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../testing/eventually.ts'
import { freePort } from '../../testing/free-port.ts'

/** Starts an image registry in a separate process. With lines of `htpasswd` it requires these credentials. */
export async function startRegistry(htpasswd?: string): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-registry-'))
  const addr = `127.0.0.1:${await freePort()}`
  const config = {
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: directory }, delete: { enabled: true } },
    http: { addr },
    ...(htpasswd && { auth: { htpasswd: { realm: 'registry', path: join(directory, 'htpasswd') } } }),
  }
  await writeFile(join(directory, 'config.yml'), JSON.stringify(config))
  if (htpasswd) await writeFile(join(directory, 'htpasswd'), htpasswd)
  const child = spawn('docker-registry', ['serve', join(directory, 'config.yml')], { stdio: 'ignore' })
  const endpoint = `http://${addr}`
  await eventually(
    'the registry to answer',
    () =>
      fetch(`${endpoint}/v2/`).then(
        ({ status }) => [200, 401].includes(status),
        () => false,
      ),
    (isUp) => isUp,
  )
  return {
    endpoint,
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}
