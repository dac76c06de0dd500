import { createHmac } from 'node:crypto'
import { type Secrets, sign } from '../../platform/crypto/keys.ts'
import { type AttemptTokens, createAttemptTokens } from '../runner/attempt-tokens.ts'

/** Tokens of tasks. */
export type TaskTokens = {
  /**
   * Returns the launch token of a task, which can be used once. It is derived from the key, so that a request which is
   * repeated after a crash is identical.
   */
  launch(taskId: string): string
  /** Tokens with which the task's runner requests its attempt. */
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
