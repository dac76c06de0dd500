import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../testing/until-passes.ts'
import { freePort } from '../testing/free-port.ts'
import { certificateAddresses, readCertificateExpiry, watchCertificates } from './certificate-expiry.ts'
import { loadCommandConfig } from './config/load.ts'
import { createMetrics } from './metrics/metrics.ts'

const hasOpenssl = !spawnSync('openssl', ['version']).error
const configOf = (env: Record<string, string>) => loadCommandConfig({ cwd: tmpdir(), env })

/** Serves TLS with an untrusted certificate that is valid for this many days. */
async function serveTls(days: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-certificate-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, '-days', `${days}`, '-subj', '/CN=localhost'], {
    stdio: 'ignore',
  })
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

test('addresses with a certificate are the configured URLs that use TLS', () => {
  const config = configOf({
    SLUICE_PUBLIC_URL: 'https://sluice.example.com',
    SLUICE_GITHUB_URL: 'http://git.example.com',
    SLUICE_SMTP_URL: 'smtps://user:secret@mail.example.com',
    SLUICE_MAIL_FROM: 'sluice@example.com',
  })
  expect(certificateAddresses(config).map(({ setting, url }) => [setting, url.host])).toEqual([
    ['SLUICE_PUBLIC_URL', 'sluice.example.com'],
    ['SLUICE_SMTP_URL', 'mail.example.com'],
  ])
})

test('the expiry of a certificate is exported even if the certificate is not trusted', async ({ skip }) => {
  skip(!hasOpenssl, 'skipped: openssl')
  const url = await serveTls(3)
  const days = ((await readCertificateExpiry(new URL(url))).getTime() - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(2)
  expect(days).toBeLessThan(4)

  const metrics = createMetrics()
  const watch = watchCertificates(configOf({ SLUICE_PUBLIC_URL: url }), metrics, pino({ level: 'silent' }))
  onTestFinished(() => watch.stop())
  const shown = async () => (await metrics.certificates.get()).values[0]?.value
  await untilPasses(async () => expect(await shown()).toBeLessThan(Date.now() / 1_000 + 4 * 86_400))
})

test('reading the certificate of an unreachable address fails', async () => {
  const nobody = new URL(`https://127.0.0.1:${await freePort()}`)
  await expect(readCertificateExpiry(nobody)).rejects.toThrow('ECONNREFUSED')
})
