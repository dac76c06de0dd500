import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Loads the EC2 client on first use: its 2 MB of source would cost 0.2 s of processor time and about 45 MiB at every
 * start.
 */
export const loadEc2Module = (): typeof import('@aws-sdk/client-ec2') => require('@aws-sdk/client-ec2')
