import { hash } from 'node:crypto'
import { parseBoundedJson } from '@sluice/contract/bounded-json'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { lockState, lockWorkspace, unlockState } from '../../stacks/iac-states/locks.ts'
import { canWrite } from '../../stacks/iac-states/machine.ts'
import {
  type AppendedState,
  appendState,
  findLatestState,
  openState,
  packState,
} from '../../stacks/iac-states/store.ts'
import type { StateTokens } from '../../stacks/iac-states/token.ts'
import type { StateLock } from '../../stacks/stacks/tables.ts'
import { findHolder, type Holder, hasHolderEnded } from './holder.ts'

type Parts = { db: Db; seal: Seal; stateTokens: StateTokens; clock: () => Date; log: Logger }
type OfWorkspace = { Params: { workspaceId: string } }

/** Default maximum size of a state, in bytes: states of thousands of resources take tens of megabytes. */
const defaultStateBytes = 64 * 1024 * 1024

/**
 * Maximum size that counts against the rate limit, in bytes, so that a large state does not use up its organization's
 * requests.
 */
const maxCountedBytes = 1024 * 1024

/** Maximum size of lock information, in bytes. The tool sends about 500. */
const lockBytes = 64 * 1024

/**
 * Serves the protocol of the `http` state backend. The states are opaque to it. Its callers are Sluice's own programs
 * with a token for one workspace and attempt, so these paths are not part of the public API.
 */
export function serveStateBackend(app: App, { db, seal, stateTokens, clock, log }: Parts): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
    const holders = new WeakMap<FastifyRequest, Holder>()

    const serve = (
      method: 'GET' | 'POST' | 'DELETE',
      path: string,
      handler: (holder: Holder, request: FastifyRequest<OfWorkspace>, reply: FastifyReply) => Promise<unknown>,
    ) => {
      app.servedPaths.add({ method, path: `/iac-states/{workspaceId}${path}` })
      scope.route<OfWorkspace>({
        method,
        url: `/iac-states/:workspaceId${path}`,
        bodyLimit: path === '/lock' ? lockBytes : (app.limits.mosts.stateBytes ?? defaultStateBytes),
        // Runs before the body is read, so that neither strangers nor attempts can exhaust memory.
        onRequest: async (request) => {
          const holder = await holderOf(request)
          const bodyBytes = Math.min(Number(request.headers['content-length'] ?? 0), maxCountedBytes)
          await app.limits.request({ ...holder, identityId: holder.stepExecutionId }, bodyBytes)
          holders.set(request, holder)
        },
        handler: async (request, reply) => handler(holders.get(request) ?? (await holderOf(request)), request, reply),
      })
    }

    async function holderOf({ headers, params }: FastifyRequest<OfWorkspace>): Promise<Holder> {
      const claims = stateTokens.read(passwordIn(headers.authorization), clock())
      const holder = claims?.workspaceId === params.workspaceId ? await findHolder(db, claims) : undefined
      if (holder) return holder
      throw new ApiError('unauthenticated', 'Send the token of a running attempt that uses this workspace.')
    }

    serve('GET', '', async ({ organizationId }, { params }, reply) => {
      const latest = await findLatestState(app.ofOrganization(organizationId), organizationId, params.workspaceId)
      if (!latest) return reply.code(204).send()
      return reply.type('application/json').send(await openState(seal, latest))
    })

    serve('POST', '', async (holder, request, reply) => {
      const { workspaceId } = request.params
      const bytes = bodyOf(request)
      const { ID: lockId } = request.query as { ID?: string }
      if (!holder.mayWriteState) return reply.code(403).send(`${holder.heldBy} changes nothing, and no state`)
      const sum = request.headers['content-md5']
      if (sum !== undefined && sum !== hash('md5', bytes, 'base64')) {
        return reply.code(400).send('the state is damaged: it is not what its Content-MD5 says')
      }
      const packed = await packState(seal, holder.organizationId, bytes)
      if (!packed) return reply.code(400).send('this is no state')
      const appended = await app.ofOrganization(holder.organizationId).transaction(async (tx) => {
        const { organizationId, stepExecutionId, heldBy: createdBy } = holder
        const workspace = await lockWorkspace(tx, organizationId, workspaceId)
        if (!workspace) throw new Error(`the workspace ${workspaceId} has vanished`)
        if (!canWrite(workspace.lock, lockId)) return { conflict: 'the lock was lost' }
        return appendState(tx, workspace, packed, { stepExecutionId, createdBy, mosts: app.limits.mosts })
      })
      const rejected = rejectionOf(appended)
      if (!rejected) return reply.send()
      const { why, status } = rejected
      log.warn({ workspace: workspaceId, step: holder.stepExecutionId, why }, 'a state was rejected')
      return reply.code(status).send(why)
    })

    serve('POST', '/lock', async ({ organizationId, stepExecutionId, heldBy }, request, reply) => {
      const { ID, Operation = '' } = lockIn(bodyOf(request))
      if (ID === undefined) return reply.code(400).send('the lock has no ID')
      const operation = Operation.replace('OperationType', '').toLowerCase()
      const since = clock().toISOString()
      const wanted = { id: ID, operation, heldBy, since, stepExecutionId }
      const outcome = await lockState(
        app.ofOrganization(organizationId),
        { organizationId, id: request.params.workspaceId },
        wanted,
        hasHolderEnded,
      )
      return outcome === 'locked' ? reply.send() : reply.code(423).send(lockInfoForTool(outcome.held))
    })

    serve('DELETE', '/lock', async ({ organizationId }, request, reply) => {
      const { ID } = lockIn(bodyOf(request))
      if (ID === undefined) return reply.code(400).send('the lock has no ID')
      await unlockState(app.ofOrganization(organizationId), organizationId, request.params.workspaceId, ID)
      return reply.send()
    })
  })
}

/** Returns why a state was rejected, with a status that the tool does not retry. */
function rejectionOf(appended: AppendedState): { status: 409 | 413; why: string } | undefined {
  if (typeof appended !== 'object') return undefined
  if ('conflict' in appended) return { status: 409, why: appended.conflict }
  return 'full' in appended ? { status: 413, why: `${appended.full.message} ${appended.full.remedy}` } : undefined
}

/** Returns the password of basic authentication, which is the token. The user name is ignored. */
function passwordIn(authorization: string | undefined): string {
  const [, encoded = ''] = /^Basic (.+)$/i.exec(authorization ?? '') ?? []
  return Buffer.from(encoded, 'base64').toString().split(':').slice(1).join(':')
}

const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

function lockIn(body: Buffer): { ID?: string; Operation?: string } {
  try {
    const lock = Object(parseBoundedJson(body.toString()))
    return Object.fromEntries(Object.entries(lock).filter(([, value]) => typeof value === 'string'))
  } catch {
    return {}
  }
}

const lockInfoForTool = ({ id, operation, heldBy, since }: StateLock) => ({
  ID: id,
  Operation: operation,
  Who: heldBy,
  Created: since,
  Info: '',
  Version: '',
  Path: '',
})
