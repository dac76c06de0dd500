import type { Service } from '@sluice/contract'
import { TextLink } from '../ui/text-link.tsx'

type Props = { projectId: string; service: Pick<Service, 'name' | 'givenId'> }

/** Leads to the page of a service across all environments. */
export const ServiceLink = ({ projectId, service: { name, givenId } }: Props) => (
  <TextLink
    to="/console/projects/$id/services/$service"
    params={{ id: projectId, service: givenId }}
    size="sm"
    fw={600}
    c="var(--mantine-color-text)"
    truncate
    title={givenId === name ? name : `${name} · ${givenId}`}
  >
    {name}
  </TextLink>
)
