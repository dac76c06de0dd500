import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { type RunningSim, spawnCloudSim } from '@sluice/cloud-sim'
import { builtImage, type Image, standInImages } from './image.ts'

/** Directory that `scripts/check-installers` prepares. */
export const work = setting('INSTALLERS_WORK')

/** Host name of the service, which `scripts/check-installers` resolves to this machine. */
export const serviceName = 'sluice.test'

/** Returns the images that the installers use, without registry and version. */
export async function installerImages(): Promise<Record<string, Image>> {
  const directory = setting('SLUICE_TEST_IMAGES')
  const standIns = await standInImages({
    directory: join(work, 'stand-ins'),
    restateServer: setting('INSTALLERS_RESTATE_SERVER'),
    restatectl: setting('INSTALLERS_RESTATECTL'),
    nginx: join(work, 'stand-ins/nginx'),
  })
  const server = await builtImage(directory, 'sluice-server')
  return { ...standIns, sluice: server, 'sluice-runner': await builtImage(directory, 'sluice-runner') }
}

/** Starts the simulated cloud, reachable from containers. Cloud time runs fast, so that a release takes seconds. */
export const startCloud = (name: string): Promise<RunningSim> =>
  spawnCloudSim({
    stateFile: join(work, `${name}.db`),
    host: '0.0.0.0',
    speed: 600,
    operatorSecret: 'operator',
    checksAnswers: true,
  })

/** Returns the cloud credentials and endpoint, as an operator configures them. */
export const cloudSettings = (gateway: string, { url }: RunningSim): Record<string, string> => ({
  AWS_ENDPOINT_URL: `http://${gateway}:${new URL(url).port}`,
  AWS_ACCESS_KEY_ID: 'operator',
  AWS_SECRET_ACCESS_KEY: 'operator',
})

const snapshots = { bucket: 'engine-snapshots', region: 'eu-west-1' } as const

/** Creates a bucket for engine snapshots and returns its settings as in docs/reference/production.md. */
export async function snapshotSettings(gateway: string, { url }: RunningSim): Promise<Record<string, string>> {
  const { port } = new URL(url)
  const { bucket, region } = snapshots
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'operator' }
  const storage = new S3Client({ endpoint: `http://127.0.0.1:${port}`, region, forcePathStyle: true, credentials })
  const configuration = { LocationConstraint: region }
  await storage.send(new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: configuration }))
  storage.destroy()
  const settings = {
    DESTINATION: `s3://${bucket}/sluice`,
    SNAPSHOT_INTERVAL_NUM_RECORDS: '100000',
    AWS_REGION: region,
    AWS_ENDPOINT_URL: `http://${gateway}:${port}`,
    AWS_ALLOW_HTTP: 'true',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`RESTATE_WORKER__SNAPSHOTS__${name}`, value]),
  )
}

/** Makes this process trust a certificate, like a user's browser. */
export function trustCertificate(certificate: string): void {
  setDefaultCACertificates([...getCACertificates('default'), certificate])
}

function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run scripts/check-installers.`)
  return value
}
