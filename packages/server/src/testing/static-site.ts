import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  DescribeKeyValueStoreCommand,
  ListKeysCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { Deployment, StaticDeploymentData } from '@sluice/contract'
import { parse } from 'yaml'
import { createInstance, publishModule } from '../../demo/organization.ts'
import { createSite, type Site, serve, uploadRelease } from '../../demo/site.ts'
import { eq } from '../platform/db/drizzle.ts'
import { environments } from '../projects/projects/tables.ts'
import type { TestOrganization, World } from './world.ts'

const region = 'eu-west-1'

type SiteWishes = {
  /** Paths to invalidate after each release. */
  paths?: string[]
  /** Number of releases whose directories are retained. */
  keep?: number
  /** Directories to upload, each with a page or two. */
  releases?: string[]
  /** Directory that is served initially. */
  active?: string
  /** Existing site; otherwise one is created. */
  site?: Site
  /** Changes to the deploy block of the module. */
  deploy?: Record<string, unknown>
  /** Build block; without it, releases are not built. */
  build?: Record<string, unknown>
}

/** Static site in the cloud and the module instance that releases to it. */
class TestSite {
  readonly moduleInstanceId: string
  readonly site: Site
  readonly #org: TestOrganization

  constructor(org: TestOrganization, site: Site, moduleInstanceId: string) {
    this.#org = org
    this.site = site
    this.moduleInstanceId = moduleInstanceId
  }

  /** Creates a deployment of a directory, which must be accepted. */
  deploy = (directory: string) => {
    const inputs = { directory }
    const data = { moduleInstanceId: this.moduleInstanceId, description: `Release ${directory}`, inputs }
    return this.#org.client.done<Deployment>('POST', '/deployments', { data })
  }

  /** Deploys a directory and waits for success. */
  release = async (directory: string) => this.#org.untilStatus((await this.deploy(directory)).id, 'SUCCESS')

  /** Uploads pages to a directory in batches, because hundreds of concurrent connections overload a busy machine. */
  upload = async (prefix: string, names = ['index.html', 'assets/app.css']) => {
    for (let from = 0; from < names.length; from += 20) {
      const pages = names.slice(from, from + 20).map((name) => [name, prefix])
      await uploadRelease(this.#org.clients, this.site.bucket, prefix, Object.fromEntries(pages))
    }
  }

  /** Changes the active directory without Sluice. */
  serve = (prefix: string) => serve(this.#org.clients, this.site.keyvaluestore_arn, prefix)

  /** Returns the directory that is currently served. */
  active = async () => (await this.keys()).active

  /** Returns all keys of the store. */
  keys = async (): Promise<Record<string, string>> => {
    const { Items = [] } = await this.#org.clients.keyValues.send(
      new ListKeysCommand({ KvsARN: this.site.keyvaluestore_arn, MaxResults: 50 }),
    )
    return Object.fromEntries(Items.map(({ Key = '', Value = '' }) => [Key, Value]))
  }

  /** Changes another key of the store, and thereby its version. */
  touchStore = async () => {
    const KvsARN = this.site.keyvaluestore_arn
    const { ETag } = await this.#org.clients.keyValues.send(new DescribeKeyValueStoreCommand({ KvsARN }))
    const Puts = [{ Key: 'other', Value: randomBytes(4).toString('hex') }]
    await this.#org.clients.keyValues.send(new UpdateKeysCommand({ KvsARN, IfMatch: ETag, Puts }))
  }

  /** Returns the directories of the bucket that contain objects. */
  directories = async (): Promise<string[]> => {
    const { Contents = [] } = await this.#org.clients.storage.send(
      new ListObjectsV2Command({ Bucket: this.site.bucket }),
    )
    const directoryOf = (key: string) => key.replace(/\/(index\.html|assets\/app\.css|[^/]+)$/, '')
    return [...new Set(Contents.map(({ Key = '' }) => directoryOf(Key)))]
  }
}

/** Creates a site with uploaded releases and the module instance that releases to it. */
export async function createTestSite(world: World, org: TestOrganization, wishes: SiteWishes = {}): Promise<TestSite> {
  const { paths, keep, releases = ['r/1', 'r/2'], active, deploy = {}, build } = wishes
  const name = `site-${randomBytes(6).toString('hex')}`
  const site = wishes.site ?? (await createSite(org.clients, name, region))
  const file = await readFile(new URL('./static-site.yaml', import.meta.url), 'utf8')
  const config = parse(file) as { deploy: Record<string, unknown> }
  const about = { type: name, name: 'Static site', description: 'Files behind a content network.' }
  const version = await publishModule(world.db, org.id, {
    ...about,
    config: { ...config, ...(build && { build }), deploy: { ...config.deploy, ...deploy } },
  })
  const [environment] = await world.db.select().from(environments).where(eq(environments.organizationId, org.id))
  if (!environment) throw new Error('the organization has no environment')
  const moduleInstanceId = await createInstance(world.db, {
    organizationId: org.id,
    projectId: environment.projectId,
    environmentId: environment.id,
    version,
    givenId: name,
    name,
    input: {
      bucket: site.bucket,
      distribution_arns: [site.distribution_arn],
      keyvaluestore_arn: site.keyvaluestore_arn,
      ...(paths && { paths }),
      ...(keep !== undefined && { keep }),
    },
  })
  const test = new TestSite(org, site, moduleInstanceId)
  for (const prefix of releases) await test.upload(prefix)
  if (active !== undefined) await test.serve(active)
  return test
}

export function staticDataOf({ data }: Deployment): StaticDeploymentData {
  if (data?.type !== 'cloud:static') throw new Error(`the deployment has no data of cloud:static but of ${data?.type}`)
  return data
}
