import type { EmbeddedCloud, ImportedCode, ImportedFunction } from '@sluice/cloud-sim/embedded'
import type { DeploymentState } from '@sluice/server/delivery/deployments/execution/state'
import type { LambdaChange } from '@sluice/server/delivery/rehearsals/job'
import { type Copy, type ScenarioEnd, type Versions, withTraffic } from '../copy.ts'
import { lambdaScenarios } from './scenarios.ts'

/** Hash of code whose own is unknown: no released code has it. */
const unknownSha256 = Buffer.alloc(32, 1).toString('base64')

/** Copy of a Lambda function and its alias. */
export class LambdaCopy implements Copy {
  readonly #change: LambdaChange
  readonly #cloud: EmbeddedCloud
  readonly scenarios = lambdaScenarios(this)

  constructor(change: LambdaChange, cloud: EmbeddedCloud) {
    this.#change = change
    this.#cloud = cloud
  }

  async create(): Promise<void> {
    const { function: own, versions, alias, provisionedConcurrency } = this.#change.twin
    const imported = { function: own, versions, alias, provisionedConcurrency }
    await this.#cloud.importFunction(imported as unknown as ImportedFunction)
    await this.setCode({})
  }

  versions({ data, progress }: DeploymentState): Versions {
    const traffic = this.#cloud.trafficOfAlias(this.#aliasArn)
    const { version, codeSha256 } = data.type === 'cloud:lambda' ? data : {}
    const isReplaced = version !== undefined && version !== this.#change.twin.alias.FunctionVersion
    const ofVersion = isReplaced ? (traffic[version] ?? 0) : 0
    // Calls of the unpublished function run its new code at once. A rollback knows the code before it inspects it.
    const isInspected = 'latest' in progress && progress.latest !== undefined
    const hasNewCode = isInspected && codeSha256 !== undefined && codeSha256 !== this.#change.twin.function.CodeSha256
    const share = ofVersion + (hasNewCode ? (traffic.$LATEST ?? 0) : 0)
    return { old: withTraffic(100 - share), new: withTraffic(share) }
  }

  /** Polls find every change of a function in time. */
  concernsRelease = (): boolean => false

  /** Changes the code of the release, if it has any. */
  async setCode(change: Pick<ImportedCode, 'behaviour' | 'rejection'>): Promise<void> {
    const { code } = this.#change.twin
    if (code) await this.#cloud.importCode({ sha256: unknownSha256, ...code, ...change })
  }

  /** Routes all calls to the version before the release, as someone else would. */
  async moveBackExternally(): Promise<void> {
    await this.#cloud.routeAliasExternally(this.#aliasArn, String(this.#change.twin.alias.FunctionVersion))
  }

  suggestion({ scenario, errorSeconds, isStillBroken }: ScenarioEnd): string | undefined {
    if (scenario !== 'UNHEALTHY_AFTER_FIRST_SHIFT' || (errorSeconds === 0 && !isStillBroken)) return undefined
    const { analysis, strategy } = this.#change.release
    if (!analysis) return 'Add an analysis to the deploy block: nothing else notices a version whose calls fail.'
    if (isStillBroken) {
      return 'Set a longer bake time or add a pause: the analysis measures the new version only then.'
    }
    if (strategy.type !== 'all_at_once') return undefined
    return 'A canary strategy would expose only a share of the users to a version whose calls fail.'
  }

  get #aliasArn(): string {
    const { aliasName, functionArn } = this.#change.release
    return `${functionArn}:${aliasName}`
  }
}
