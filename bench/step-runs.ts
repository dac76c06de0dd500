import type { PipelineRun } from '@sluice/contract'
import type { TestOrganization } from '@sluice/server/testing'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import { argv, runConcurrently } from './programs.ts'

/** Pipeline with a chain of `command` steps, and its runs. */
export class StepRuns {
  readonly #organization: TestOrganization
  readonly #pipelineId: string

  private constructor(organization: TestOrganization, pipelineId: string) {
    this.#organization = organization
    this.#pipelineId = pipelineId
  }

  static async of(organization: TestOrganization, steps: number): Promise<StepRuns> {
    const { id } = await organization.pipelines.create({
      steps: Array.from({ length: steps }, (_, index) => ({ id: `s${index}`, type: 'command', with: { argv } })),
    })
    return new StepRuns(organization, id)
  }

  /** Starts this number of runs, ten at a time, and waits until all have succeeded. */
  async runAll(times: number): Promise<void> {
    const wanted = (await this.#succeeded()) + times
    await runConcurrently(10, times, () => this.#organization.pipelines.start(this.#pipelineId))
    await eventually('all runs to have succeeded', this.#succeeded, (count) => count === wanted, 3_600_000)
  }

  #succeeded = async (): Promise<number> => {
    const path = `/pipeline-runs?pipelineId=${this.#pipelineId}&status=SUCCESS&limit=1`
    const { body } = await this.#organization.client.ask('GET', path)
    return (body as { data: PipelineRun[]; meta: { totalCount: number } }).meta.totalCount
  }
}
