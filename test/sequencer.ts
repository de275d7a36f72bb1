/**
 * The order of the test files. Those that wait (for limits, killed programs, processes) start first, so that
 * other files run meanwhile. By size, the only order that a fresh clone knows, some would be among the last.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const WAITING = /\/test\/(?:ci|contract|docs|e2e|release|server)\//;

export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification): boolean => WAITING.test(moduleId);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}
