import { randomBytes } from 'node:crypto'
import type { PipelineRun, PipelineStepExecution } from '@sluice/contract'
import type { Client } from './client.ts'
import { eventually } from './eventually.ts'

type Config = { steps: object[]; [key: string]: unknown }

const over: readonly PipelineRun['status'][] = ['SUCCESS', 'ERROR', 'CANCELLED']

export class Pipelines {
  readonly client: Client
  readonly projectId: string

  constructor(client: Client, projectId: string) {
    this.client = client
    this.projectId = projectId
  }

  /** Creates a pipeline with a version of this config. */
  async create(config: Config): Promise<{ id: string; givenId: string }> {
    const givenId = `p-${randomBytes(5).toString('hex')}`
    const data = { projectId: this.projectId, givenId, name: 'Release' }
    const { id } = await this.client.done<{ id: string }>('POST', '/pipelines', { data })
    await this.client.done('POST', '/pipeline-versions', { data: { pipelineId: id, config } })
    return { id, givenId }
  }

  start = (pipelineId: string, inputs: object = {}) =>
    this.client.done<PipelineRun>('POST', '/pipeline-runs', { data: { pipelineId, inputs } })

  /** Creates and runs a pipeline with these steps. */
  async run(steps: object[], more: object = {}): Promise<PipelineRun> {
    return this.start((await this.create({ ...more, steps })).id)
  }

  get = (runId: string) => this.client.done<PipelineRun>('GET', `/pipeline-runs/${runId}`)
  cancel = (runId: string) => this.client.done<PipelineRun>('POST', `/pipeline-runs/${runId}/cancel`)

  /** Returns the steps of a run in the order of its config. */
  async steps(runId: string): Promise<PipelineStepExecution[]> {
    const path = `/pipeline-step-executions?pipelineRunId=${runId}&limit=100`
    return (await this.client.done<PipelineStepExecution[]>('GET', path)).reverse()
  }

  async step(runId: string, stepId: string): Promise<PipelineStepExecution> {
    const step = (await this.steps(runId)).find((one) => one.stepId === stepId)
    if (!step) throw new Error(`the run ${runId} has no step ${stepId}`)
    return step
  }

  until = (runId: string, ...statuses: PipelineRun['status'][]) => this.#until(runId, statuses)

  untilOver = (runId: string, withinMs?: number) => this.#until(runId, over, withinMs)

  #until = (runId: string, statuses: readonly PipelineRun['status'][], withinMs?: number) =>
    eventually(
      `${runId} to be ${statuses}`,
      () => this.get(runId),
      ({ status }) => statuses.includes(status),
      withinMs,
    )

  untilStep = (runId: string, stepId: string, ...statuses: PipelineStepExecution['status'][]) =>
    eventually(
      `${stepId} of ${runId} to be ${statuses}`,
      () => this.step(runId, stepId),
      ({ status }) => statuses.includes(status),
    )

  async approve(runId: string, stepId: string): Promise<PipelineStepExecution> {
    const { id } = await this.untilStep(runId, stepId, 'PENDING_APPROVAL')
    return this.client.done<PipelineStepExecution>('POST', `/pipeline-step-executions/${id}/approve`)
  }

  async reject(runId: string, stepId: string, comment: string): Promise<PipelineStepExecution> {
    const { id } = await this.untilStep(runId, stepId, 'PENDING_APPROVAL')
    const path = `/pipeline-step-executions/${id}/reject`
    return this.client.done<PipelineStepExecution>('POST', path, { data: { comment } })
  }
}
