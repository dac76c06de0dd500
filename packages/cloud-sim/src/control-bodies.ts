import type { NetworkOptions } from './ec2/make.ts'
import type { Behaviour } from './ecs/behaviour.ts'
import type { FaultKind } from './faults.ts'
import type { Statement } from './rights/policy.ts'

/** Request bodies of the control API by route, for which `SimControl` is the client. */
export interface ControlBodies {
  advance: { seconds: number }
  speed: { speed: number }
  role: {
    roleArn: string
    externalId?: string
    /** Service in the trust policy, such as `ecs-tasks.amazonaws.com`; external callers then cannot assume the role. */
    trustedService?: string
    /** Policy of the role. Without `policy` and `allow`, it has all permissions. */
    policy?: Statement[]
    /** Actions allowed on all resources, such as `ecs:Describe*`, and denied actions. */
    allow?: string[]
    deny?: string[]
    maxSessionSeconds?: number
    tags?: Record<string, string>
    /** Opt-in Regions that the account has enabled. */
    enabledRegions?: string[]
  }
  image: { pattern: string; behaviour: Behaviour; times?: number }
  /** Image to which a tag now points; tasks report its digest. */
  tag: { image: string; digest: string }
  command: { pattern: string; exitCode?: number; seconds?: number; times?: number }
  agent: { instanceId: string; status: 'Online' | 'ConnectionLost' }
  /** Network in an account's Region, in addition to the default one. */
  network: { account: string; region: string } & NetworkOptions
  /** Images of a repository. Images without tags were replaced by a newer push. */
  repository: {
    account: string
    region: string
    name: string
    /** `architectures` as in image configurations, such as `amd64`, the default. */
    images: { tags: string[]; secondsAgo: number; bytes?: number; architectures?: string[] }[]
  }
  /** Endpoint of the registry for image pushes, such as `http://127.0.0.1:5000`. */
  registry: { endpoint: string }
  fault: {
    kind: FaultKind
    operation?: string
    service?: string
    account?: string
    times?: number
    delayMs?: number
    /** For a delay: after the operation instead of before it. */
    afterwards?: boolean
    /** Code, status and message of an injected error. */
    code?: string
    status?: number
    message?: string
    probability?: number
  }
  delivery: { account: string; url: string; headers?: Record<string, string> }
  deliveryFaults: { drop?: number; duplicate?: number; delayMs?: number; shuffle?: boolean }
}
