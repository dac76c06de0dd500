import type { ConfigSources } from '@sluice/server/platform/config/load'
import { settingHelp } from '@sluice/server/platform/config/reference'
import { flagOf, type SettingName, settingNames, settingOf } from '@sluice/server/platform/config/settings'
import type { Command } from 'commander'

/** Adds a flag for each setting, and `--config`. The configuration rejects unknown flags. */
export function addSettingFlags(command: Command, names: readonly SettingName[] = settingNames): Command {
  command.option('--config <path>', 'Configuration file [SLUICE_CONFIG, default sluice.config.json or .yaml]')
  for (const name of names) {
    const flag = flagOf(name)
    if (flag !== undefined) command.option(`${flag} <value>`, settingHelp(name))
  }
  const secrets = names.filter((name) => flagOf(name) === undefined).map((name) => settingOf(name).env)
  if (secrets.length > 0) command.addHelpText('after', `\nVariables without a flag: ${secrets.join(', ')}`)
  return command.allowUnknownOption().allowExcessArguments()
}

export function sourcesOf(command: Command): ConfigSources {
  const { yes: _, organization: __, json: ___, ...flags } = command.opts()
  return { cwd: process.cwd(), env: process.env, flags, unknownFlags: unknownWords(command.args) }
}

/** Returns unknown flags without the words after them, which are probably their values. */
function unknownWords(words: string[]): string[] {
  const unknownFlags = words.filter((word) => word.startsWith('-'))
  return unknownFlags.length > 0 ? unknownFlags : words
}
