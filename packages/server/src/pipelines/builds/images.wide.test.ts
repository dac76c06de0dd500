import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type {
  Artifact,
  ArtifactVerdict,
  Environment,
  ModuleInstance,
  ModuleVersion,
  NewRunnerToken,
  PipelineStepExecution,
  Provenance,
} from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { eq } from '../../platform/db/drizzle.ts'
import { eventually } from '../../testing/eventually.ts'
import { isOnPath } from '../../testing/on-path.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { artifactRetentions, artifacts } from '../artifacts/tables.ts'
import { startRegistry } from './registry.fixture.ts'

type Json = Record<string, unknown>

const missing = ['buildah', 'docker-registry'].filter((program) => !isOnPath(program))
if (process.getuid?.() !== 0) missing.push('root')
if (missing.length > 0) console.info(`skipped: images are built without ${missing.join(' and ')}`)

/** User of this machine that has a range of subordinate ids. */
const ranged = userWithRange()
if (!ranged) console.info('skipped: /etc/subuid gives nobody a range of ids to build images with')

function userWithRange(): { uid: number; gid: number } | undefined {
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const [name = ''] = read('/etc/subuid').split(':')
  const [, , uid, gid] = new RegExp(`^${name}:.*$`, 'm').exec(read('/etc/passwd'))?.[0].split(':') ?? []
  return name === '' || !uid || uid === '0' ? undefined : { uid: Number(uid), gid: Number(gid) }
}

describe.skipIf(missing.length > 0)('an image', () => {
  let world: World
  let organization: TestOrganization
  let environment: Environment
  let registry: { endpoint: string; stop(): Promise<void> }
  /** Examples of docs/reference/builds.md that build an image: the module, and the Dockerfile. */
  let examples: { module: { build: Json; [part: string]: unknown }; dockerfile: string }

  beforeAll(async () => {
    const text = await readFile(new URL('../../../../../docs/reference/builds.md', import.meta.url), 'utf8')
    const [, section = ''] = text.split('## An image\n')
    const [, module = ''] = /```yaml\n([\s\S]*?)```/.exec(section) ?? []
    const [, dockerfile = ''] = /```dockerfile\n([\s\S]*?)```/.exec(section) ?? []
    examples = { module: parse(module), dockerfile }
    vi.stubEnv('SLUICE_RUNNER_ISOLATION', 'none')
    world = await startWorld({ env: { SLUICE_OUTBOUND_ALLOW: '127.0.0.1' } })
    organization = await world.organization()
    const [found] = await organization.client.done<Environment[]>('GET', '/environments')
    if (!found) throw new Error('the organization has no environment')
    environment = found
    registry = await startRegistry()
    await world.cloud.putRegistry({ endpoint: registry.endpoint })
  })
  afterAll(async () => {
    await registry?.stop()
    await world?.[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })

  /** Creates an instance of the example and a repository with its name. */
  async function placed(name: string, builder?: Json, destination?: Json): Promise<{ id: string; repository: string }> {
    const { client, accountNumber, cloudAccountId: cloud_account_id } = organization
    const about = { type: name, name, description: 'An image.' }
    const changes = { ...(builder && { builder }), ...(destination && { destinations: [destination] }) }
    const config = { ...examples.module, build: { ...examples.module.build, ...changes } }
    const definition = await client.done<{ id: string }>('POST', '/module-definitions', { data: about })
    const version = await client.done<ModuleVersion>('POST', '/module-versions', {
      data: { moduleDefinitionId: definition.id, version: '1.0.0', description: 'First.', config },
    })
    const repository = `shop/${name}`
    const input = {
      cloud_account_id,
      repository_arn: `arn:aws:ecr:eu-west-1:${accountNumber}:repository/${repository}`,
    }
    const named = { moduleDefinitionId: definition.id, moduleVersionId: version.id, givenId: name, name, input }
    const data = { environmentId: environment.id, ...named }
    return { id: (await client.done<ModuleInstance>('POST', '/module-instances', { data })).id, repository }
  }

  async function ran(moduleInstanceId: string, more: object, place: object = {}): Promise<PipelineStepExecution> {
    const { pipelines } = organization
    const given = { module_instance_id: moduleInstanceId, ...more }
    const { id } = await pipelines.run([{ id: 'build', type: 'build', with: given, ...place }])
    await pipelines.untilOver(id, 60_000)
    return pipelines.step(id, 'build')
  }
  const files = (page: string, dockerfile = examples.dockerfile) => ({
    source: { files: { 'web/Dockerfile': dockerfile, 'web/page.html': page } },
  })
  /** Starts a runner with programs of these names; `told` returns the recorded command line of one. */
  async function runnerWith(scripts: Record<string, string>, user?: { uid: number; gid: number }) {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-tools-'))
    for (const [name, script] of Object.entries(scripts)) {
      await writeFile(join(folder, name), `#!/bin/sh\nset -e\nTOOLS=${folder}\n${script}\n`, { mode: 0o755 })
    }
    const { client } = organization
    if (user) await chown(folder, user.uid, user.gid)
    const givenId = `with-${Object.keys(scripts)[0] ?? user?.uid}`
    const data = { givenId, name: 'Tools', kind: 'runners' }
    const { id: executionEnvironmentId } = await client.done<{ id: string }>('POST', '/execution-environments', {
      data,
    })
    const named = { data: { executionEnvironmentId, name: 'Tools' } }
    const { token } = await client.done<NewRunnerToken>('POST', '/runner-tokens', named)
    const env = {
      PATH: [folder, process.env.PATH ?? ''].join(delimiter),
      SLUICE_OUTBOUND_ALLOW: '127.0.0.1',
      SLUICE_URL: world.url,
      SLUICE_RUNNER_TOKEN: token,
      SLUICE_RUNNER_DIR: join(folder, 'runner'),
      SLUICE_RUNNER_ISOLATION: 'none',
    }
    const program = createRequire(import.meta.url).resolve('@sluice/runner')
    const child = spawn(process.execPath, [program], { env, stdio: 'ignore', ...user })
    return {
      place: { execution_environment_id: executionEnvironmentId },
      attempts: () => readdir(join(folder, 'runner', 'attempts')),
      /** Returns the layers that the runner caches; undefined if its machine does not support that. */
      kept: () => readdir(join(folder, 'runner', 'layers')).then((names) => names.length > 0 || undefined),
      told: async () => (await readFile(join(folder, 'told'), 'utf8')).trim().split('\n'),
      async [Symbol.asyncDispose]() {
        const ended = once(child, 'exit')
        child.kill()
        await ended
        await rm(folder, { recursive: true, force: true })
      },
    }
  }
  async function logOf({ id }: PipelineStepExecution): Promise<string> {
    const path = `/pipeline-step-executions/${id}/logs?limit=100`
    const lines = await organization.client.done<{ text: string }[]>('GET', path)
    return lines.map(({ text }) => text).join('\n')
  }
  async function inRegistry<Found>(path: string): Promise<Found> {
    const accept = 'application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json'
    return (await fetch(`${registry.endpoint}/v2/${path}`, { headers: { accept } })).json() as Promise<Found>
  }

  test('that is unreferenced is removed with its attachments, and the next one is retained', async () => {
    const { id, repository } = await placed('old')
    const digests: string[] = []
    for (const page of ['1', '2']) digests.push(String((await ran(id, files(page))).outputData?.digest))
    const [old = '', last = ''] = digests
    const attachedTo = async (digest: string) => {
      type Index = { manifests?: { digest: string }[] }
      const { manifests = [] } = await inRegistry<Index>(`${repository}/manifests/${digest.replace(':', '-')}`)
      return String(manifests[0]?.digest)
    }
    const attached = await attachedTo(old)
    const isThere = async (digest: string) =>
      (
        await fetch(`${registry.endpoint}/v2/${repository}/manifests/${digest}`, {
          headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
        })
      ).ok
    expect([await isThere(old), await isThere(attached)]).toEqual([true, true])
    const createdAt = new Date(Date.now() - 100 * 86_400_000)
    await world.db.update(artifacts).set({ createdAt, takenAt: null }).where(eq(artifacts.moduleInstanceId, id))
    const data = { isEnabled: true, keepLatest: 1 }
    await organization.client.done('PATCH', '/artifacts/retention', { data })
    await world.db.update(artifactRetentions).set({ wakeAt: createdAt })
    await eventually(
      'the image to be removed',
      async () => organization.client.done<Artifact[]>('GET', `/artifacts?moduleInstanceId=${id}`),
      (all) => all.some(({ digest, removal }) => digest === old && removal?.removedAt !== undefined),
    )
    expect([await isThere(old), await isThere(attached)]).toEqual([false, false])
    expect([await isThere(last), await isThere(await attachedTo(last))]).toEqual([true, true])
    await organization.client.done('PATCH', '/artifacts/retention', { data: { isEnabled: false } })
  })

  test('is built from a Dockerfile, pushed once, and used by its digest', async () => {
    const { id, repository } = await placed('web')
    const secret = 'tok3n-of-the-build'
    const given = { ...files('<h1>Shop</h1>'), environment_variables: { TOKEN: secret } }
    const first = await ran(id, given)
    expect(first.status, JSON.stringify(first.error)).toBe('SUCCESS')
    const [artifact] = await organization.client.done<Artifact[]>('GET', `/artifacts?moduleInstanceId=${id}`)
    const digest = artifact?.digest ?? ''
    const image = `${organization.accountNumber}.dkr.ecr.eu-west-1.amazonaws.com/${repository}@${digest}`
    expect(artifact).toMatchObject({ kind: 'image', location: image, deployInputs: { image_ref: digest } })
    expect(first.outputData).toMatchObject({ artifact_id: artifact?.id, digest, image, image_ref: digest })

    const { tags } = await inRegistry<{ tags: string[] }>(`${repository}/tags/list`)
    const own = new RegExp(`^${first.pipelineRunId}-[0-9a-f]{12}-[0-9a-f]{8}$`)
    const referrers = digest.replace(':', '-') // this registry does not support the referrers API
    expect(tags.toSorted()).toEqual([expect.stringMatching(own), referrers])
    type Descriptor = { digest: string; [more: string]: unknown }
    const { manifests } = await inRegistry<{ manifests: Descriptor[] }>(`${repository}/manifests/${referrers}`)
    expect(manifests).toMatchObject([{ artifactType: 'application/vnd.in-toto+json' }])
    type Attached = { subject: Descriptor; layers: Descriptor[] }
    const attached = await inRegistry<Attached>(`${repository}/manifests/${manifests[0]?.digest}`)
    expect(attached.subject.digest).toBe(digest)
    const provenance = await inRegistry<Provenance>(`${repository}/blobs/${attached.layers[0]?.digest}`)
    expect(provenance).toEqual(await organization.client.done('GET', `/artifacts/${artifact?.id}/provenance`))
    expect(provenance.subject).toEqual([{ name: image, digest: { sha256: digest.replace('sha256:', '') } }])
    expect(provenance.predicate.buildDefinition.internalParameters).toMatchObject({ secrets: ['TOKEN'] })
    type Manifest = { config: { digest: string } }
    const { config } = await inRegistry<Manifest>(`${repository}/manifests/${digest}`)
    const made = await inRegistry<{ config: Json }>(`${repository}/blobs/${config.digest}`)
    expect(made.config).toMatchObject({ Labels: { stage: environment.givenId } })
    const log = await logOf(first)
    expect(log).toMatch('COPY page.html')
    expect(JSON.stringify([first.outputData, artifact, log, made, provenance])).not.toContain(secret)

    const again = await ran(id, given)
    expect(again.outputData).toEqual({ ...first.outputData, is_reused: true })
    expect(await logOf(again)).not.toMatch('COPY page.html')
  })

  test('is built again by a forced build, and pushed once in a run', async () => {
    const { id, repository } = await placed('forced')
    const { pipelines } = organization
    const given = { module_instance_id: id, ...files('x'), force: true }
    const steps = ['first', 'second'].map((step) => ({ id: step, type: 'build', with: given }))
    const run = await pipelines.run(steps)
    await pipelines.untilOver(run.id, 60_000)
    const first = await pipelines.step(run.id, 'first')
    const second = await pipelines.step(run.id, 'second')
    expect(await logOf(first)).toMatch('Pushing the image')
    const log = await logOf(second)
    expect(log).toMatch('COPY page.html')
    expect(log).not.toMatch('Pushing the image')
    expect(second.outputData).toMatchObject({ digest: first.outputData?.digest, image: first.outputData?.image })
    const { tags } = await inRegistry<{ tags: string[] }>(`${repository}/tags/list`)
    expect(tags.filter((tag) => tag.startsWith(run.id))).toHaveLength(1)
  })

  test('reuses the layers of the previous build, even of a failed one, and the log has their number', async () => {
    await using runner = await runnerWith({ layered: '' })
    const of = (page: string, last: string) => {
      const dockerfile = 'FROM scratch\nCOPY base.html /\nLABEL stage=kept\nCOPY page.html /\n'
      const given = { 'web/base.html': 'base', 'web/page.html': page, 'web/Dockerfile': `${dockerfile}${last}\n` }
      return { source: { files: given } }
    }
    const { id, repository } = await placed('layered')
    const failed = await ran(id, of('1', 'COPY none /'), runner.place)
    expect(failed.error).toMatchObject({ code: 'Sluice:Builds:COMMAND_FAILED' })
    const built = async (page: string, more: object = {}, instance = id) => {
      const step = await ran(instance, { ...of(page, 'LABEL last=1'), ...more }, runner.place)
      expect(step.status, JSON.stringify(step.error)).toBe('SUCCESS')
      return { digest: step.outputData?.digest, log: await logOf(step) }
    }
    const first = await built('1')
    if (!(await runner.kept())) return // the machine does not support overlays
    expect(first.log).toContain('Reused cached layers for 3 of 4 steps')
    const second = await built('2')
    expect(second.log).toContain('Reused cached layers for 2 of 4 steps')
    expect(second.digest).not.toBe(first.digest)
    type Manifest = { config: { digest: string }; layers: { digest: string }[] }
    const manifest = (digest: unknown) => inRegistry<Manifest>(`${repository}/manifests/${digest}`)
    const [before, after] = [await manifest(first.digest), await manifest(second.digest)]
    expect(after.layers[0]).toEqual(before.layers[0])
    expect(after.layers).not.toEqual(before.layers)
    const made = await inRegistry<{ config: Json }>(`${repository}/blobs/${after.config.digest}`)
    expect(made.config).toMatchObject({ Labels: { stage: 'kept', last: '1' } })

    expect((await built('2', { force: true })).log).not.toContain('Using cache')
    const other = await placed('layered-elsewhere')
    expect((await built('2', {}, other.id)).log).not.toContain('Using cache')
  })

  test('with an invalid Dockerfile fails, and the log has the reason', async () => {
    const { id } = await placed('wrong')
    const { error } = await ran(id, files('x', 'FROM scratch\nCOPY none /\n'))
    expect(error).toMatchObject({ code: 'Sluice:Builds:COMMAND_FAILED' })
    expect(JSON.stringify(error)).toContain('none')
    expect(await organization.client.done<Artifact[]>('GET', `/artifacts?moduleInstanceId=${id}`)).toEqual([])
  })

  test('is built by Nixpacks if the runner has it, with the Dockerfile that it generates', async () => {
    await using tools = await runnerWith({
      nixpacks: `
        [ "$1" = --version ] && { echo 'nixpacks 1.41.0'; exit; }
        printf '%s\\n' "$@" >"$TOOLS/told"
        mkdir -p "$3/.nixpacks" && cp -R "$(eval echo \\\${$#})/." "$3/"
        printf 'FROM scratch\\nARG STAGE\\nLABEL stage=$STAGE\\nCOPY page.html /\\n' >"$3/.nixpacks/Dockerfile"`,
    })
    const builder = { type: 'nixpacks', build_path: 'web', apt_pkgs: ['curl', 'git'], start_cmd: 'node .' }
    const { id, repository } = await placed('packed', builder)
    const step = await ran(id, files('packed'), tools.place)
    expect(step.status, JSON.stringify(step.error)).toBe('SUCCESS')
    type Manifest = { config: { digest: string } }
    const { config } = await inRegistry<Manifest>(`${repository}/manifests/${step.outputData?.digest}`)
    const made = await inRegistry<{ config: Json }>(`${repository}/blobs/${config.digest}`)
    expect(made.config).toMatchObject({ Labels: { stage: environment.givenId } })
    const told = await tools.told()
    expect(told.slice(0, 2)).toEqual(['build', '--out'])
    expect(told.slice(3)).toEqual(['--env', 'STAGE', '--start-cmd=node .', '--apt=curl', '--apt=git', 'web'])
    const path = `/artifacts/${step.outputData?.artifact_id}/provenance`
    const { predicate } = await organization.client.done<Provenance>('GET', path)
    expect(predicate.buildDefinition.externalParameters).toMatchObject({
      builder: { type: 'nixpacks', context: 'web', aptPackages: ['curl', 'git'], startCommand: 'node .' },
    })

    const other = await placed('packed-otherwise', { ...builder, nixpacks_version: '1.2.3' })
    expect((await ran(other.id, files('packed'), tools.place)).error).toMatchObject({
      code: 'Sluice:Builds:TOOL_MISSING',
      message: 'The runner has Nixpacks 1.41.0, but the build block requires 1.2.3.',
    })
  })

  test('is built by Railpack and BuildKit if the runner has them', async () => {
    await using tools = await runnerWith({
      railpack: `
        [ "$1" = --version ] && { echo 'railpack version 0.31.0'; exit; }
        echo '{}' >"$4"`,
      // Stand-in for BuildKit, which converts the plan to an image file.
      buildctl: `
        [ "$1" = debug ] && exit
        printf '%s\\n' "$@" >"$TOOLS/told"
        for last; do :; done
        printf 'FROM scratch\\nLABEL by=buildkit\\nCOPY page.html /\\n' >"$TOOLS/Dockerfile"
        store="--root $TOOLS/storage --runroot $TOOLS/run --storage-driver vfs"
        buildah $store bud --isolation chroot --quiet --iidfile "$TOOLS/id" -f "$TOOLS/Dockerfile" web >&2
        buildah $store push "$(cat "$TOOLS/id")" "oci-archive:\${last#type=oci,dest=}"`,
    })
    const { id, repository } = await placed('railed', { type: 'railpack', build_path: 'web', install_cmd: 'npm ci' })
    const secret = 'hush-of-railpack'
    const step = await ran(id, { ...files('railed'), environment_variables: { TOKEN: secret } }, tools.place)
    expect(step.status, JSON.stringify(step.error)).toBe('SUCCESS')
    type Manifest = { config: { digest: string } }
    const { config } = await inRegistry<Manifest>(`${repository}/manifests/${step.outputData?.digest}`)
    const made = await inRegistry<{ config: Json }>(`${repository}/blobs/${config.digest}`)
    expect(made.config).toMatchObject({ Labels: { by: 'buildkit' } })
    const told = await tools.told()
    expect(told).toEqual(
      expect.arrayContaining([
        ...['source=ghcr.io/railwayapp/railpack-frontend:v0.31.0', 'context=web', 'filename=railpack-plan.json'],
        ...['id=TOKEN,env=TOKEN', 'id=RAILPACK_INSTALL_CMD,env=RAILPACK_INSTALL_CMD'],
      ]),
    )
    expect(told.join(' ')).not.toContain(secret)
  })

  test.skipIf(!ranged)('is built by a user with a range of ids, and only its layers stay on the runner', async () => {
    await using runner = await runnerWith({}, ranged)
    const { id, repository } = await placed('ranged')
    const step = await ran(id, files('ranged'), runner.place)
    expect(step.status, JSON.stringify(step.error)).toBe('SUCCESS')
    expect(step.outputData?.image).toContain(`/${repository}@${step.outputData?.digest}`)
    await eventually('its folder to be gone', runner.attempts, (left) => left.length === 0)
    if (!(await runner.kept())) return // overlays require root here
    const next = await ran(id, files('ranged anew'), runner.place)
    expect(next.status, JSON.stringify(next.error)).toBe('SUCCESS')
    expect(await logOf(next)).toContain('Reused cached layers for 2 of 3 steps')
    await eventually('its folder to be gone', runner.attempts, (left) => left.length === 0)
  })

  test.each([
    ['nixpacks', 'nixpacks is not installed'],
    ['railpack', 'railpack is not installed'],
  ])('of %s reports the tool that the runner lacks', async (type, said) => {
    const { id } = await placed(`no-${type}`, { type })
    expect((await ran(id, files('x'))).error).toMatchObject({
      code: 'Sluice:Builds:TOOL_MISSING',
      message: expect.stringContaining(said),
    })
  })

  test('is pushed to any other registry, with credentials from default values that are never shown', async () => {
    // Output of `htpasswd -B`.
    const [username, password] = ['builder', 'hush-hush']
    const hashed = '$2y$05$abcdefghijklmnopqrstuu4uoW5CdSDmY8cLkib7pLDRBlvRVo8Pe'
    const other = await startRegistry(`${username}:${hashed}\n`)
    onTestFinished(() => other.stop())
    const { client } = organization
    for (const [key, isSensitive, value] of [
      ['registry_user', false, username],
      ['registry_password', true, password],
    ] as const) {
      const about = { key, description: 'Of the registry.', schema: { type: 'string' }, isSensitive }
      const { id } = await client.done<{ id: string }>('POST', '/default-value-definitions', { data: about })
      const given = { defaultValueDefinitionId: id, parentType: 'organization', parentId: organization.id, value }
      await client.done('POST', '/default-values', { data: given })
    }
    const { host } = new URL(other.endpoint)
    const destination = {
      id: 'images',
      type: 'registry',
      repository: `${host}/shop/elsewhere`,
      username: '<< defaults.registry_user >>',
      password: '<< defaults.registry_password >>',
    }
    const { id } = await placed('elsewhere', undefined, destination)
    const step = await ran(id, files('elsewhere'))
    expect(step.status, JSON.stringify(step.error)).toBe('SUCCESS')
    const { digest, image, artifact_id } = step.outputData ?? {}
    expect(image).toBe(`${host}/shop/elsewhere@${digest}`)
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const manifest = async (reference: unknown) => {
      const accept = 'application/vnd.oci.image.manifest.v1+json'
      const url = `${other.endpoint}/v2/shop/elsewhere/manifests/${reference}`
      return fetch(url, { headers: { authorization, accept } })
    }
    expect((await manifest(digest)).headers.get('docker-content-digest')).toBe(digest)
    expect((await fetch(`${other.endpoint}/v2/shop/elsewhere/tags/list`)).status).toBe(401)
    const log = await logOf(step)
    expect(log).toMatch('Attached the build provenance to sha256:')
    const artifact = await client.done<Artifact>('GET', `/artifacts/${artifact_id}`)
    const provenance = await client.done<Provenance>('GET', `/artifacts/${artifact_id}/provenance`)
    for (const secret of [password, authorization.replace('Basic ', '')]) {
      expect(JSON.stringify([step, log, artifact, provenance])).not.toContain(secret)
    }
    expect((await ran(id, files('elsewhere'))).outputData).toMatchObject({ is_reused: true, digest })

    const wrong = await placed('elsewhere-wrong', undefined, { ...destination, password: 'wrong' })
    const { error } = await ran(wrong.id, files('elsewhere'))
    expect(error).toMatchObject({ code: 'Sluice:Builds:NOT_PUBLISHED', description: expect.stringContaining('401') })
    const [verdict] = await client.done<ArtifactVerdict[]>('GET', `/artifacts/retention/dry-run?moduleInstanceId=${id}`)
    expect(verdict?.isNeeded).toBe(true)
  })

  test('that the role cannot push is reported', async () => {
    const { id } = await placed('denied')
    await organization.deny('ecr:CreateRepository')
    const { error } = await ran(id, files('x'))
    await organization.deny()
    expect(error).toMatchObject({ code: 'Sluice:Builds:NOT_PUBLISHED' })
    expect(JSON.stringify(error)).toContain('ecr:CreateRepository')
  })
})
