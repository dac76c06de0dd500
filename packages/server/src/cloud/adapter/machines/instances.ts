import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * The cloud's client with by far the most operations, of which forms need four: 2 MB of source, which took 0.2 s of the
 * processor and some 45 MiB at each start. So it is loaded when somebody first asks for it, once.
 */
export const ec2 = (): typeof import('@aws-sdk/client-ec2') => require('@aws-sdk/client-ec2')
