import { flagOf, type SettingName, settingNames, settingOf } from './settings.ts'

/** Returns the table of all settings in Markdown. */
export function settingsReference(): string {
  const rows = settingNames.map((name) => {
    const { env, envFallback, description, expected } = settingOf(name)
    const variables = [env, envFallback].filter((variable) => variable !== undefined).map(code)
    const flag = flagOf(name)
    const cells = [
      variables.join(', else '),
      flag ? code(flag) : 'none',
      code(name),
      defaultText(name),
      expected,
      description,
    ]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return [
    '| Environment | Flag | In the file | Default | Value | What it does |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** Returns the help text of a setting's flag. */
export function settingHelp(name: SettingName): string {
  const { env, default: preset, description } = settingOf(name)
  return `${description} [${env}${preset === undefined ? '' : `, default ${preset}`}]`
}

const code = (text: string) => `\`${text}\``

function defaultText(name: SettingName): string {
  const preset = settingOf(name).default
  return preset === undefined ? 'not set' : code(String(preset))
}
