import { Badge, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { DeploymentDifferences } from '@sluice/contract'
import { Notice } from '../ui/notice.tsx'
import classes from './compare.module.css'
import { type ComparedGroup, type ComparedSetting, describeUnknown, groupDifferences } from './difference-groups.ts'

type Props = { of: DeploymentDifferences; before: string | undefined; after: string | undefined }

/** Shows the differences between two releases by group, with the values of both. */
export const Differences = ({ of: { differences, unknown }, before, after }: Props) => {
  const groups = groupDifferences(differences)
  return (
    <Stack gap="lg">
      <Text size="sm" role="status">
        {countOf(differences.length)}
        {unknown.length > 0 &&
          ` Not compared, because one of the releases has no record of it: ${describeUnknown(unknown)}.`}
      </Text>
      {groups.length === 0 && (
        <Notice title="No differences" level={2}>
          {unknown.length === 0
            ? 'Both releases have the same version and the same settings.'
            : 'Everything that both releases recorded is the same.'}
        </Notice>
      )}
      {groups.map((group) => (
        <SettingGroup key={group.title} group={group} before={before} after={after} />
      ))}
    </Stack>
  )
}

const countOf = (count: number): string => {
  if (count === 0) return 'No differences.'
  return count === 1 ? '1 difference.' : `${count} differences.`
}

type GroupProps = Omit<Props, 'of'> & { group: ComparedGroup }

const SettingGroup = ({ group: { title, settings }, before, after }: GroupProps) => (
  <Paper component="section" withBorder aria-label={title} className={classes.group ?? ''}>
    <Group px="md" py="sm" gap="xs">
      <Title order={2} size="h5">
        {title}
      </Title>
      <Badge variant="default" size="sm">
        {settings.length}
      </Badge>
    </Group>
    <table className={classes.table} aria-label={title}>
      <thead>
        <tr className={`${classes.row} ${classes.head}`}>
          <th scope="col">Setting</th>
          <th scope="col">{before === undefined ? 'Before' : `Before (${before})`}</th>
          <th scope="col">{after === undefined ? 'After' : `After (${after})`}</th>
        </tr>
      </thead>
      <tbody>
        {settings.map((setting) => (
          <Row key={`${setting.part} ${setting.name}`} of={setting} />
        ))}
      </tbody>
    </table>
  </Paper>
)

const Row = ({ of: { name, part, before, after, isSecret } }: { of: ComparedSetting }) => (
  <tr className={classes.row}>
    <th scope="row" className={classes.name}>
      <Code>{name}</Code>
      {part !== undefined && (
        <Text size="xs" c="dimmed">
          container {part}
        </Text>
      )}
    </th>
    {isSecret ? (
      <td colSpan={2} className={classes.secret}>
        Changed. The values look like secrets and stay hidden.
      </td>
    ) : (
      <>
        <Value className={classes.before} mark="−" value={before} />
        <Value className={classes.after} mark="+" value={after} />
      </>
    )}
  </tr>
)

type ValueProps = { className: string | undefined; mark: string; value: unknown }

const Value = ({ className, mark, value }: ValueProps) => (
  <td className={`${classes.value} ${value === undefined ? classes.none : className}`}>
    {value === undefined ? (
      'not set'
    ) : (
      <>
        <span aria-hidden>{mark}</span>
        <span>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</span>
      </>
    )}
  </td>
)
