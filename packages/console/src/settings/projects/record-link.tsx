import { TextLink } from '../../ui/text-link.tsx'

/** Record types with a page, by their audit log name. */
const pages = {
  deployment: '/console/deployments/$id',
  'module-instance': '/console/instances/$id',
  pipeline: '/console/pipelines/$id',
  'pipeline-run': '/console/runs/$id',
} as const

const hasPage = (type: string): type is keyof typeof pages => type in pages

/** Links to the record of an audit event; nothing if it has no page. */
export const RecordLink = ({ type, id }: { type: string; id: string }) =>
  hasPage(type) && (
    <>
      {' · '}
      <TextLink to={pages[type]} params={{ id }} inherit underline="always">
        View {type.replaceAll('-', ' ').replace('module instance', 'service')}
      </TextLink>
    </>
  )
