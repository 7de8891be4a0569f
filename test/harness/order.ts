import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Whole processes wait more than they work, so they begin first and the quick ones fill the gaps. */
const PROJECTS = ['full', 'whole', 'fast']

/** Of one project in one row: a worker that meets a file of another project has to start anew. */
export class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name)
    return sorted.sort((a, b) => rank(a) - rank(b))
  }
}
