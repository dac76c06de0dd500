import type { Static } from 'typebox'
import { archiveSettings } from './settings/archive.ts'
import { gitHostsSettings } from './settings/git-hosts.ts'
import { interfaceSettings } from './settings/interface.ts'
import type { Setting, Settings } from './settings/kinds.ts'
import { limitsSettings } from './settings/limits.ts'
import { outsideSettings } from './settings/outside.ts'
import { paceSettings } from './settings/pace.ts'
import { processesSettings } from './settings/processes.ts'
import { runnersSettings } from './settings/runners.ts'
import { signInSettings } from './settings/sign-in.ts'

export type { Setting }

/**
 * All settings. The reference in the documentation and the help of `sluice serve` are generated from this table, in its
 * order.
 */
export const settings = {
  ...interfaceSettings,
  ...signInSettings,
  ...processesSettings,
  ...outsideSettings,
  ...gitHostsSettings,
  ...paceSettings,
  ...runnersSettings,
  ...limitsSettings,
  ...archiveSettings,
} as const satisfies Settings

export type SettingName = keyof typeof settings

type Value<Name extends SettingName> = Static<(typeof settings)[Name]['type']>
type Unset<Name extends SettingName> = (typeof settings)[Name] extends { default: unknown } ? never : undefined

/** Loaded settings; `undefined` for one that is not set and has no default. */
export type Config = { [Name in SettingName]: Value<Name> | Unset<Name> }

export const settingNames = Object.keys(settings) as SettingName[]

/** Returns a setting by name, for code that treats all settings alike. */
export const settingOf = (name: SettingName): Setting => settings[name]

/** Returns the flag of a setting, such as `--data-dir` of `dataDir`; undefined if it has none. */
export const flagOf = (name: SettingName): string | undefined =>
  settingOf(name).isSecret ? undefined : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
