import { invalid } from './records.ts'

const maxBytes = 4096

/** Reserved variables ("Defined runtime environment variables" in the developer guide). */
const reserved = [
  '_HANDLER',
  '_X_AMZN_TRACE_ID',
  'AWS_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_DEFAULT_REGION',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_FUNCTION_VERSION',
  'AWS_LAMBDA_INITIALIZATION_TYPE',
  'AWS_LAMBDA_LOG_GROUP_NAME',
  'AWS_LAMBDA_LOG_STREAM_NAME',
  'AWS_LAMBDA_RUNTIME_API',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'LAMBDA_RUNTIME_DIR',
  'LAMBDA_TASK_ROOT',
]

export function checkEnvironment(variables: Record<string, string>): void {
  const taken = Object.keys(variables).filter((name) => reserved.includes(name))
  const unable =
    'Lambda was unable to configure your environment variables because the environment variables you have provided'
  if (taken.length > 0) {
    const what = 'contains reserved keys that are currently not supported for modification.'
    throw invalid(`${unable} ${what} Reserved keys used in this request: ${taken.join(', ')}`)
  }
  const text = JSON.stringify(variables)
  if (Buffer.byteLength(text) > maxBytes) throw invalid(`${unable} exceeded the 4KB limit. String measured: ${text}`)
}
