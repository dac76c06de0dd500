import { Group, Text, ThemeIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import { NewEnvironment } from '../environments/new-environment.tsx'
import { NewProject } from '../projects/new-project.tsx'
import { ButtonLink } from '../ui/buttons/button-link.tsx'
import { IconCheck } from '../ui/icons.tsx'
import { Section } from '../ui/section.tsx'
import classes from './getting-started.module.css'
import { useSetupProgress } from './use-setup-progress.ts'

type Step = { title: string; about: string; isDone: boolean; action: ReactNode }

/** Guides an admin of a new organization to the first release, and then disappears. */
export const GettingStarted = () => {
  const beginning = useSetupProgress()
  if (!beginning) return null
  const { hasAccount, projectId, environmentId, instanceId } = beginning
  const steps: Step[] = [
    {
      title: 'Connect a cloud account',
      about: 'Sluice uses a role that you create in the account. It stores no access keys.',
      isDone: hasAccount,
      action: (
        <ButtonLink size="xs" to="/console/settings/cloud-accounts">
          Connect account
        </ButtonLink>
      ),
    },
    {
      title: 'Create a project',
      about: 'A project groups what belongs together, such as a product or everything that a team owns.',
      isDone: projectId !== undefined,
      action: <NewProject />,
    },
    {
      title: 'Create environments',
      about: 'For example, Staging and Production. The same services run in each.',
      isDone: environmentId !== undefined,
      action: projectId && <NewEnvironment projectId={projectId} />,
    },
    {
      title: 'Add a service',
      about: 'Import one that runs in your account, or create an instance from a module.',
      isDone: instanceId !== undefined,
      action: environmentId && (
        <Group gap="xs">
          <ButtonLink size="xs" to="/console/environments/$id/new" params={{ id: environmentId }}>
            Choose a module
          </ButtonLink>
          <ButtonLink size="xs" variant="default" to="/console/import" search={{ environmentId }}>
            Import services
          </ButtonLink>
        </Group>
      ),
    },
    {
      title: 'Deploy it',
      about: 'This guide ends with your first successful deployment.',
      isDone: false,
      action: instanceId && (
        <ButtonLink size="xs" to="/console/instances/$id" params={{ id: instanceId }}>
          Go to service
        </ButtonLink>
      ),
    },
  ]
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Section
      title="Get started"
      aside={<Progress done={steps.filter(({ isDone }) => isDone).length} of={steps.length} />}
    >
      <ol className={classes.steps}>
        {steps.map((step, index) => (
          <Row key={step.title} step={step} number={index + 1} isNext={index === next} />
        ))}
      </ol>
    </Section>
  )
}

const Progress = ({ done, of }: { done: number; of: number }) => (
  <Text size="sm" c="dimmed" role="status">
    {done} of {of} done
  </Text>
)

const Row = ({
  step: { title, about, isDone, action },
  number,
  isNext,
}: {
  step: Step
  number: number
  isNext: boolean
}) => (
  <li aria-current={isNext ? 'step' : undefined}>
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon
        radius="xl"
        size={28}
        variant={isDone || isNext ? 'filled' : 'default'}
        {...(isDone && { color: 'teal.9' })}
      >
        {isDone ? <IconCheck size={16} aria-label="Done" /> : number}
      </ThemeIcon>
      <Group justify="space-between" gap="xs" style={{ flex: 1 }}>
        <div className={classes.words}>
          <Text fw={600} {...(isDone && { c: 'dimmed' })}>
            {title}
          </Text>
          {!isDone && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        {isNext && action}
      </Group>
    </Group>
  </li>
)
