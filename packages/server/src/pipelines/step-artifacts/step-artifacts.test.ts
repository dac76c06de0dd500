import { failures } from '@sluice/contract'
import { runnerPaths } from '@sluice/contract/runner-protocol'
import type { Runner } from '@sluice/runner/runner'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eq, inArray } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { pipelineRuns, pipelineStepExecutions, pipelineVersions } from '../pipelines/tables.ts'
import { type RunnerTestApi, runnerOf, startRunnerTestApi } from '../runner/runner.fixture.ts'
import { deleteExpiredStepArtifacts } from './retention.ts'
import { stepArtifactPieces, stepArtifacts } from './tables.ts'

let yard: RunnerTestApi
let runner: Runner
beforeAll(async () => {
  yard = await startRunnerTestApi()
  runner = await runnerOf(yard.parts())
})
afterAll(async () => {
  await runner?.stop()
  await yard?.[Symbol.asyncDispose]()
})

type Json = Record<string, unknown>

const uploading = (shell: string, paths: string[], name = 'dist') => ({
  shell,
  artifacts: { upload: [{ name, paths }] },
})
const downloading = (shell: string, path?: string, name = 'dist') => ({
  shell,
  artifacts: { download: [{ name, ...(path !== undefined && { path }) }] },
})

async function ended(id: string) {
  const { status, error } = await yard.untilOver(id)
  return { id, status, error, log: await yard.logOf(id) }
}

/** Runs a step after the step `a` of the same run, or of the run that a retry repeats. */
async function runAfter(first: string, given: Json, { needs = ['a'], isRetry = false } = {}) {
  const { pipelineRunId: before } = await yard.stepOf(first)
  const [run] = await yard.db.select().from(pipelineRuns).where(eq(pipelineRuns.id, before))
  if (!run) throw new Error('there is no run')
  const pipelineRunId = isRetry ? newId('run') : before
  const { number: _, ...same } = run
  if (isRetry) await yard.db.insert(pipelineRuns).values({ ...same, id: pipelineRunId, retryOf: before })
  const steps = [
    { id: 'a', type: 'command', with: { argv: ['true'] } },
    { id: 'b', type: 'command', needs, with: given },
  ]
  await yard.db
    .update(pipelineVersions)
    .set({ config: { steps } })
    .where(eq(pipelineVersions.id, run.pipelineVersionId))
  const id = newId('step')
  const ready = { status: 'QUEUED', queueReason: 'RUNNER_CAPACITY', queueMetadata: {} } as const
  const name = { stepId: 'b', stepName: 'b', stepType: 'command', engineWorkflowId: id }
  await yard.db
    .insert(pipelineStepExecutions)
    .values({ id, organizationId: yard.organizationId, pipelineRunId, ...name, ...ready })
  return ended(id)
}

const build =
  'mkdir -p dist/deep reports; echo app >dist/app; chmod +x dist/app; echo x >dist/deep/x; echo 1 >reports/a.xml'

describe('files that a step uploads', () => {
  test('are in the working directory of a later step', async () => {
    const first = await ended(
      await yard.command(uploading(`${build}; echo 2 >reports/b.txt`, ['dist', 'reports/*.xml'])),
    )
    expect(first).toMatchObject({
      status: 'SUCCESS',
      log: expect.stringContaining('Uploaded the artifact dist: 3 files.'),
    })

    const list = 'find . -type f | sort; test -x in/dist/app && cat in/dist/app'
    const second = await runAfter(first.id, downloading(list, 'in'))

    expect(second.status, second.log).toBe('SUCCESS')
    expect(second.log.split('\n')).toEqual(
      expect.arrayContaining(['./in/dist/app', './in/dist/deep/x', './in/reports/a.xml', 'app']),
    )
    expect(second.log).not.toContain('b.txt')
    expect(second.log).toContain('Downloaded the artifact dist: 3 files.')
  })

  test('may be named as folders, with ./ and as the whole working directory, and links as what they lead to', async () => {
    const shell = `${build}; ln -s app dist/link; rm -r reports`
    const expected = ['dist/app', 'dist/deep/x', 'dist/link']
    for (const paths of [['dist/'], ['./dist/*'], ['dist/link', 'dist/deep', 'dist/a?p'], ['.']]) {
      const first = await ended(await yard.command(uploading(shell, paths)))
      const second = await runAfter(first.id, downloading('find dist -type f | sort'))
      const found = second.log.split('\n').filter((line) => line.startsWith('dist/'))
      expect(found, paths.join()).toEqual(expected)
    }
  })

  test('are taken over by a retry of the run', async () => {
    const first = await ended(await yard.command(uploading(build, ['dist'])))
    expect(await runAfter(first.id, downloading('cat dist/app'), { isRetry: true })).toMatchObject({
      status: 'SUCCESS',
      log: expect.stringMatching(/^app$/m),
    })
  })

  test('are encrypted in the database, and deleted after 14 days', async () => {
    const { id } = await ended(await yard.command(uploading('echo top-secret >f', ['f'])))
    const mine = eq(stepArtifacts.stepExecutionId, id)
    const [artifact] = await yard.db.select().from(stepArtifacts).where(mine)
    const ofArtifact = inArray(stepArtifactPieces.stepArtifactId, [artifact?.id ?? ''])
    const pieces = () => yard.db.select().from(stepArtifactPieces).where(ofArtifact)
    expect(artifact).toMatchObject({ fileCount: 1, pieceCount: 1, sizeBytes: 11 })
    expect(await pieces()).toMatchObject([{ sealed: expect.stringMatching(/^v2\./) }])

    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
    await deleteExpiredStepArtifacts(yard.db, inDays(13))
    expect(await pieces()).toHaveLength(1)
    await deleteExpiredStepArtifacts(yard.db, inDays(15))
    expect(await yard.db.select().from(stepArtifacts).where(mine)).toEqual([])
    expect(await pieces()).toEqual([])
  })

  test('must exist, and must not be too many: the step fails after its program', async () => {
    const none = await ended(await yard.command(uploading('true', ['dist/*.js', '.*'])))
    expect(none).toMatchObject({
      status: 'ERROR',
      error: {
        code: failures.stepArtifactInvalid.code,
        message: 'Cannot upload the artifact dist: no file matches dist/*.js, .*.',
      },
    })
    const many = await ended(
      await yard.command(uploading('i=0; while [ $i -lt 1001 ]; do i=$((i+1)); : >f$i; done', ['f*'])),
    )
    expect(many.error?.message).toMatch(/more than 1000 files/)
  })
})

describe('a download', () => {
  test('of a name that no earlier step has uploaded fails before the program starts, with the closest name', async () => {
    const first = await ended(await yard.command(uploading(build, ['dist'])))
    const second = await runAfter(first.id, downloading('echo started', undefined, 'dits'))
    expect(second).toMatchObject({
      status: 'ERROR',
      error: {
        code: failures.stepArtifactNotFound.code,
        message: expect.stringContaining('did you mean dist?'),
      },
    })
    expect(second.log).not.toContain('started')
  })

  test('gets nothing of steps that the step does not need', async () => {
    const first = await ended(await yard.command(uploading(build, ['dist'])))
    const second = await runAfter(first.id, downloading('true'), { needs: [] })
    expect(second.error?.code).toBe(failures.stepArtifactNotFound.code)
  })

  test('gets nothing but what its order names, even with the token of an attempt', async () => {
    const theirs = await ended(await yard.command(uploading(build, ['dist'])))
    const [artifact] = await yard.db.select().from(stepArtifacts).where(eq(stepArtifacts.stepExecutionId, theirs.id))
    const inProgress = { status: 'IN_PROGRESS', attemptEpoch: 2, runnerId: null } as const
    const id = await yard.command({ argv: ['true'] }, { step: inProgress })
    const { organizationId } = yard
    const key = yard.attemptTokens.issue({ organizationId, id, attemptEpoch: 2 })
    const post = async (path: string, body: Json) => {
      const headers = { 'content-type': 'application/json' }
      return (await yard.ask(path, { key, method: 'POST', headers, body: JSON.stringify(body) })).status
    }
    expect(artifact).toBeDefined()
    expect(await post(runnerPaths.downloadStepArtifact, { id: artifact?.id, position: 0 })).toBe(410)
    expect(await post(runnerPaths.uploadStepArtifact, { name: 'dist', position: 0, content: 'YQ==' })).toBe(410)
  })
})

test('a name stands for the files of one step in a run', async () => {
  const first = await ended(await yard.command(uploading(build, ['dist'])))
  const second = await runAfter(first.id, uploading(build, ['dist']))
  expect(second.error).toMatchObject({
    code: failures.stepArtifactInvalid.code,
    message: expect.stringContaining('another step of the run has uploaded it'),
  })
})
