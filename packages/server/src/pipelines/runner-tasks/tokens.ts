import { createHmac } from 'node:crypto'
import { type Secrets, sign } from '../../platform/crypto/keys.ts'
import { type AttemptTokens, createAttemptTokens } from '../runner/attempt-tokens.ts'

/** The tokens of tasks. */
export type TaskTokens = {
  /**
   * What a task is started with, once good to be redeemed. It follows from the key, so that a request which is sent
   * again after a crash is the same request.
   */
  launch(taskId: string): string
  /** What its runner claims the attempt with, and no other. */
  session: AttemptTokens
}

export function createTaskTokens(secrets: Secrets): TaskTokens {
  const [newest, ...older] = secrets
  return {
    launch: (taskId) => `slt_${sign(secrets, `launch ${taskId}`).toString('base64url')}`,
    session: createAttemptTokens([sessionSecret(newest), ...older.map(sessionSecret)]),
  }
}

const sessionSecret = (secret: Buffer): Buffer => createHmac('sha256', secret).update('session').digest()
