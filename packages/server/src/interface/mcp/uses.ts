import { type AgentUse, agentHeaders } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { authorOf } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { App } from '../../platform/http/app.ts'

type Using = {
  request: FastifyRequest
  caller: Caller
  use: AgentUse
  /** Name of the agent's program, if the request does not contain it. */
  userAgent?: string
}

const lines = {
  tool: { action: 'agent-tools.call', resourceType: 'agent-tool' },
  resource: { action: 'agent-resources.read', resourceType: 'agent-resource' },
} as const satisfies Record<AgentUse['of'], object>

/** Records what an agent uses, including reads, for the investigation of prompt injections. */
export async function recordUse(app: App, { request, caller, use, ...told }: Using): Promise<void> {
  const author = { ...authorOf({ caller, request }), channel: 'AGENT', ...told } as const
  const change = { ...lines[use.of], resourceId: use.name }
  await recordChange(app.ofOrganization(caller.organizationId, caller.access.hidden), author, change)
}

/** Patterns for the names of tools and resources; others are not recorded. */
const names = {
  tool: /^[a-z][a-z_]{0,49}$/,
  resource: /^sluice:\/\/[\w/-]{1,150}$/,
} as const satisfies Record<AgentUse['of'], RegExp>

/** Records the uses that a program like `sluice mcp` reports for an agent. */
export function recordReportedUses(app: App): void {
  app.addHook('preHandler', async (request) => {
    const { caller } = request
    if (caller === null) return
    for (const kind of ['tool', 'resource'] as const) {
      const name = request.headers[agentHeaders[kind]]
      if (typeof name !== 'string' || !names[kind].test(name)) continue
      await recordUse(app, { request, caller, use: { of: kind, name } })
    }
  })
}
