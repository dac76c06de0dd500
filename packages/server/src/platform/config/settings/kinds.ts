import Type, { type TSchema } from 'typebox'

/** Setting. In the configuration file its name is its key in `settings`. */
export interface Setting {
  env: string
  /** Environment variable that is used if `env` is not set. */
  envFallback?: string
  /**
   * Whether the value is secret. Secrets have no flag, since other users of the machine can read flags, and never
   * appear in messages.
   */
  isSecret?: true
  type: TSchema
  default?: unknown
  /** Expected value, as the end of "expected …". */
  expected: string
  description: string
}

export type Settings = Record<string, Setting>

export const port = Type.Integer({ minimum: 0, maximum: 65_535 })
export const portExpected = 'a port number from 0 to 65535'
export const url = Type.Refine(Type.String(), (value) => /^https?:\/\//.test(value) && URL.canParse(value))
export const urlExpected = 'a URL that begins with http:// or https://'
const isIssuer = (value: string) =>
  /^(https:\/\/[^\s?#@]+|http:\/\/(127\.0\.0\.1|localhost)(:\d+)?(\/[^\s?#@]*)?)$/.test(value) && URL.canParse(value)
/** Issuer URL of an identity provider. */
export const issuer = Type.Refine(Type.String(), isIssuer)
export const isServiceAccount = (value: string) => /^sa_[0-9a-z]{26}$/.test(value)
export const isOrigin = (value: string) =>
  /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value
export const origin = Type.Refine(Type.String(), isOrigin)
export const originExpected = 'an address such as https://git.example.com, without a path'
export const milliseconds = Type.Integer({ minimum: 10, maximum: 86_400_000 })
export const hours = Type.Integer({ minimum: 1, maximum: 8_760 })
export const hoursExpected = 'a whole number of hours from 1 to 8760'
export const millisecondsExpected = 'a whole number of milliseconds from 10 to 86400000'

export const bytes = Type.Integer({ minimum: 65_536, maximum: 1_073_741_824 })
export const bytesExpected = 'a whole number of bytes from 65536 to 1073741824'

export const storedBytes = Type.Integer({ minimum: 1_048_576, maximum: 1_000_000_000_000_000 })
export const storedBytesExpected = 'a whole number of bytes from 1048576 to 1000000000000000'

export const atMost = Type.Integer({ minimum: 1, maximum: 1_000_000 })
export const atMostExpected = 'a whole number from 1 to 1000000'
