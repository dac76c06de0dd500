import type { NetworkWish } from './ec2/make.ts'
import type { Behaviour } from './ecs/behaviour.ts'
import type { FaultKind } from './faults.ts'
import type { Statement } from './rights/policy.ts'

/** The wire of the control interface, request bodies by route; `SimControl` speaks it. */
export interface ControlBodies {
  advance: { seconds: number }
  speed: { speed: number }
  role: {
    roleArn: string
    externalId?: string
    /** Whom its trust policy names, such as `ecs-tasks.amazonaws.com`: then nobody who calls can assume it. */
    trustedService?: string
    /** What it may do; everything, without `policy` and `allow`. */
    policy?: Statement[]
    /** Actions that it may do with everything, such as `ecs:Describe*`, and those that it may not do. */
    allow?: string[]
    deny?: string[]
    maxSessionSeconds?: number
    tags?: Record<string, string>
    /** Those of the Regions one has to opt in to that its account has enabled. */
    enabledRegions?: string[]
  }
  image: { pattern: string; behaviour: Behaviour; times?: number }
  /** Another image that a tag means from now on; tasks tell of it by its digest. */
  tag: { image: string; digest: string }
  command: { pattern: string; exitCode?: number; seconds?: number; times?: number }
  agent: { instanceId: string; status: 'Online' | 'ConnectionLost' }
  /** What an account's Region has for networks, beside the default one that is there from the start. */
  network: { account: string; region: string } & NetworkWish
  /** Images of a repository; those without tags are what a newer one was pushed over. */
  repository: {
    account: string
    region: string
    name: string
    /** `architectures` are in the words of image configurations, such as `amd64`, which is the default. */
    images: { tags: string[]; secondsAgo: number; bytes?: number; architectures?: string[] }[]
  }
  /** Where a registry of images listens that pushes go to: `http://127.0.0.1:5000`. */
  registry: { endpoint: string }
  fault: {
    kind: FaultKind
    operation?: string
    service?: string
    account?: string
    times?: number
    delayMs?: number
    /** A slow one: after the work instead of before. */
    afterwards?: boolean
    /** Of an error. */
    code?: string
    status?: number
    message?: string
    probability?: number
  }
  delivery: { account: string; url: string; headers?: Record<string, string> }
  deliveryFaults: { drop?: number; duplicate?: number; delayMs?: number; shuffle?: boolean }
}
